import type { ActionParts } from '../../core/action.ts';
import { messageOf } from '../../lib/errors.ts';
import { createListeners } from '../../lib/listeners.ts';
import { createPowerAudit, type Orderer } from './power.audit.ts';
import type { VerbControl } from './power.contract.ts';
import { controlOf, createNotices, type LoadPower } from './power.control.ts';
import { createPendingFile, type PendingPowerOrder } from './power.pending-file.ts';
import { scopesFor, words } from './power.verbs.ts';
import { createWatch } from './power.watch.ts';

export interface ArmedOrder extends PendingPowerOrder {
  force: boolean;
  tokenId: string;
  stop(): void;
}

/** Shorter delays show no notification. */
const noticeFromMs = 5000;
/** How long sleep and shutdown are delayed after the order was accepted, so that the response is sent first. */
const guardMs = 3000;
const atTheScreen: Orderer = { token: 'the user', address: 'the screen' };

/** The order that is due later, if there is one. */
export function createPendingOrders(parts: ActionParts, load: LoadPower) {
  const { host, log } = parts;
  const { clock } = host;
  const audit = createPowerAudit(host, log);
  const file = createPendingFile(host);
  const watch = createWatch(parts, resumed, load);
  const show = createNotices(parts, load);
  const followers = createListeners<[PendingPowerOrder | null]>();
  let pending: ArmedOrder | null = null;

  function add(order: Omit<ArmedOrder, 'stop'>): void {
    const armed = { ...order, stop: () => {} };
    setPending(armed);
    arm(armed);
    save(armed);
  }

  function setPending(next: ArmedOrder | null): void {
    pending = next;
    followers.announce(next);
  }

  /** Delays sleep and shutdown until the response to the caller is sent. */
  async function perform(control: VerbControl, { verb, force, by }: Pick<ArmedOrder, 'verb' | 'force' | 'by'>) {
    if (verb === 'lock' || verb === 'logout') return await control.perform({ force });
    const release = await watch.guard();
    try {
      const message = await control.perform({ force }, (reason) => noteFailure({ verb, by }, reason));
      clock.after(guardMs, release);
      return message;
    } catch (error) {
      release();
      throw error;
    }
  }

  function arm(order: ArmedOrder): void {
    const left = Math.max(0, order.at - clock.now());
    const stopTimer = clock.after(left, () => void fire(order));
    const stopWatching = watch.want();
    const removeNotice = left >= noticeFromMs ? notify(order) : () => {};
    order.stop = () => {
      stopTimer();
      removeNotice();
      stopWatching();
    };
  }

  async function fire(order: ArmedOrder): Promise<void> {
    if (pending !== order) return;
    clear(order);
    const { verb, by } = order;
    const why = whyNot(parts, order);
    if (why !== null) {
      audit.note(verb, by, `dropped: ${why}`);
      show({ title: words[verb].failed, body: `It was ordered with the token ${by.token}, but ${why}`, cancel: null });
      return;
    }
    try {
      const message = await perform(await controlOf(parts.host, verb, load), order);
      audit.note(verb, by, `done: ${message}`);
    } catch (error) {
      noteFailure(order, messageOf(error));
    }
  }

  /** The caller has had its response. */
  function noteFailure({ verb, by }: Pick<ArmedOrder, 'verb' | 'by'>, reason: string): void {
    audit.note(verb, by, `failed: ${reason}`);
    show({ title: words[verb].failed, body: reason, cancel: null });
  }

  function clear(order: ArmedOrder): void {
    order.stop();
    setPending(null);
    try {
      file.clear();
    } catch (error) {
      log.warn(`power: the file of the pending order cannot be removed: ${messageOf(error)}`);
    }
  }

  function replace(): void {
    if (pending !== null) drop(pending.by, 'replaced by a new order');
  }

  function drop(by: Orderer, outcome: string): void {
    if (pending === null) return;
    const { verb } = pending;
    clear(pending);
    audit.note(verb, by, outcome);
  }

  function save({ verb, at, by }: ArmedOrder): void {
    try {
      file.write({ verb, at, by });
    } catch (error) {
      log.warn(`power: the pending order cannot be saved: ${messageOf(error)}`);
    }
  }

  /** Timers stop while the machine sleeps. An order that fell due meanwhile is dropped: it would hit a user who has just returned. */
  function resumed(): void {
    if (pending === null) return;
    if (clock.now() >= pending.at) {
      drop(pending.by, 'dropped: the machine was asleep when it was due');
    } else {
      pending.stop();
      arm(pending);
    }
  }

  function notify({ verb, at, by }: ArmedOrder): () => void {
    return show({
      title: words[verb].will,
      body: `At ${new Date(at).toTimeString().slice(0, 8)}, ordered with the token ${by.token} from ${by.address}`,
      cancel: () => drop(atTheScreen, 'cancelled'),
    });
  }

  /** Reports an order that was pending when the previous run ended. */
  function reportLeftover(): void {
    try {
      const leftover = file.takeLeftover();
      if (leftover === null) return;
      const outcome = `dropped: the service was restarted before it was due at ${iso(leftover.at)}`;
      log.warn(`power: the pending ${leftover.verb} was dropped: the service was restarted before it was due`);
      audit.note(leftover.verb, leftover.by, outcome);
    } catch (error) {
      log.warn(`power: the pending order of the last run cannot be read: ${messageOf(error)}`);
    }
  }

  reportLeftover();
  return {
    audit,
    current: () => pending,
    add,
    drop,
    replace,
    perform,
    follow(changed: (pending: PendingPowerOrder | null) => void): () => void {
      changed(pending);
      return followers.add(changed);
    },
    close() {
      // The file remains: the next run reports the order as dropped.
      if (pending !== null)
        log.warn(`power: ${pending.verb} was due at ${iso(pending.at)} and is dropped, since the service is stopping`);
      pending?.stop();
      pending = null;
      watch.close();
    },
  };
}

export type PendingOrders = ReturnType<typeof createPendingOrders>;

/** An order is carried out if its token could give it now: it may have been revoked, or control paused, since then. null: it is carried out. */
function whyNot({ controlPause, admits }: ActionParts, { verb, tokenId }: ArmedOrder): string | null {
  if (controlPause.current() !== null) return 'control was paused when it was due';
  return scopesFor(verb).some((scope) => admits({ tokenId, scopes: new Set([scope]) }))
    ? null
    : 'the token that ordered it was revoked, or may do less';
}

export const iso = (ms: number) => new Date(ms).toISOString();
