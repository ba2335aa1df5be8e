import type { Scope } from '../../access/scopes.ts';
import type { ActionParts, ActionResult } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import { requireScope } from '../../core/service.ts';
import { parseNextMoment } from '../../lib/durations.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { createPowerAudit, type Orderer, ordererOf } from './power.audit.ts';
import type { VerbControl } from './power.contract.ts';
import { controlOf, createNotices, type LoadPower, loadControl } from './power.control.ts';
import { createWaitingFile, type Waiting } from './power.pending.ts';
import type { PowerInput, PowerOutput } from './power.schema.ts';
import { type Verb, words } from './power.verbs.ts';
import { createWatch } from './power.watch.ts';

/** Orders to the machine: at once, or one that waits. Lives from the start of the service on. */
export interface Power {
  order(verb: Verb, input: PowerInput, caller: Caller): Promise<ActionResult<PowerOutput>>;
  cancel(caller: Caller): ActionResult<PowerOutput>;
  /** Calls back now, and whenever an order begins to wait or waits no longer; returns the way to stop. */
  followPending(changed: (pending: Waiting | null) => void): () => void;
  /** What waits; null: nothing does. */
  pending(): Waiting | null;
  close(): void;
}

interface Pending extends Waiting {
  force: boolean;
  tokenId: string;
  stop(): void;
}

/** From here on the user gets to see it, seconds. */
const noticeFrom = 5;
/** How long sleep and shutdown wait for an answer that goes out, after the order was accepted. */
const guardMs = 3000;
const mostOrders = 30;
const countedMs = 10_000;
const powerAlone: ReadonlySet<Scope> = new Set(['power']);
const atTheScreen: Orderer = { token: 'the user', address: 'the screen' };

export function createPower(parts: ActionParts, load: LoadPower = loadControl): Power {
  const { host, log } = parts;
  const { clock } = host;
  const audit = createPowerAudit(host, log);
  const file = createWaitingFile(host);
  const watch = createWatch(parts, resumed, load);
  const show = createNotices(parts, load);
  let pending: Pending | null = null;
  const followers = new Set<(pending: Waiting | null) => void>();
  const setPending = (next: Pending | null) => {
    pending = next;
    for (const follower of followers) follower(next);
  };
  let counted = { since: clock.monotonic(), orders: new Map<string, number>() };
  forgetEarlier();

  return {
    async order(verb, { force, ...when }, caller) {
      const by = ordererOf(caller);
      refuseTooMany(caller);
      try {
        const seconds = secondsUntil(when, clock.now());
        const control = await controlOf(host, verb, load);
        refuseBeside(verb, seconds);
        return seconds > 0
          ? await begin(control, { verb, by, force: force ?? false, tokenId: caller.tokenId }, seconds)
          : await performNow(control, verb, force ?? false, by);
      } catch (error) {
        audit.note(verb, by, `refused: ${messageOf(error)}`);
        throw error;
      }
    },
    cancel(caller) {
      if (pending === null)
        throw new ServiceError('conflict', 'No power order is pending, so there is nothing to cancel');
      // Whoever may only lock may take back a lock, and nothing else.
      if (pending.verb !== 'lock') requireScope(caller, 'power');
      const { verb, at } = pending;
      drop(ordererOf(caller), 'cancelled');
      return { message: `power.${verb} was cancelled`, data: { action: verb, at: iso(at) } };
    },
    followPending(changed) {
      followers.add(changed);
      changed(pending);
      return () => void followers.delete(changed);
    },
    pending: () => pending,
    close() {
      // Its file stays: the next run says that it was forgotten.
      if (pending !== null)
        log.warn(`power: ${pending.verb} was due at ${iso(pending.at)} and is dropped, since the service is stopping`);
      pending?.stop();
      pending = null;
      watch.close();
    },
  };

  async function performNow(
    control: VerbControl,
    verb: Verb,
    force: boolean,
    by: Orderer,
  ): Promise<ActionResult<PowerOutput>> {
    const message = await perform(control, verb, force);
    if (pending?.verb === verb) {
      audit.note(verb, pending.by, 'replaced by a new order');
      settle(pending);
    }
    audit.note(verb, by, `done: ${message}`);
    return { message, data: { action: verb, at: iso(clock.now()) } };
  }

  /** The answer to whoever asked must go out before the machine sleeps. */
  async function perform(control: VerbControl, verb: Verb, force: boolean): Promise<string> {
    if (verb === 'lock' || verb === 'logout') return await control.perform({ force });
    const letGo = await watch.guard();
    try {
      const message = await control.perform({ force });
      clock.after(guardMs, letGo);
      return message;
    } catch (error) {
      letGo();
      throw error;
    }
  }

  async function begin(
    control: VerbControl,
    order: Pick<Pending, 'verb' | 'by' | 'force' | 'tokenId'>,
    seconds: number,
  ): Promise<ActionResult<PowerOutput>> {
    await control.check(order);
    refuseBeside(order.verb, seconds);
    if (pending !== null) {
      audit.note(pending.verb, pending.by, 'replaced by a new order');
      settle(pending);
    }
    const at = clock.now() + seconds * 1000;
    const waiting: Pending = { ...order, at, stop: () => {} };
    setPending(waiting);
    arm(waiting);
    remember(waiting);
    audit.note(order.verb, order.by, `scheduled for ${iso(at)}`);
    const message = `${words[order.verb].will} at ${iso(at)}; power.cancel cancels it`;
    return { message, data: { action: order.verb, at: iso(at) } };
  }

  function arm(waiting: Pending): void {
    const left = Math.max(0, waiting.at - clock.now());
    const stopTimer = clock.after(left, () => void fire(waiting));
    const stopWatching = watch.want();
    const takeAway = left >= noticeFrom * 1000 ? notify(waiting) : () => {};
    waiting.stop = () => {
      stopTimer();
      takeAway();
      stopWatching();
    };
  }

  async function fire(waiting: Pending): Promise<void> {
    if (pending !== waiting) return;
    settle(waiting);
    const { verb, by, force } = waiting;
    const why = whyNot(waiting);
    if (why !== null) {
      audit.note(verb, by, `dropped: ${why}`);
      show({ title: words[verb].failed, body: `It was ordered with the token ${by.token}, but ${why}`, cancel: null });
      return;
    }
    try {
      const message = await perform(await controlOf(host, verb, load), verb, force);
      audit.note(verb, by, `done: ${message}`);
    } catch (error) {
      audit.note(verb, by, `failed: ${messageOf(error)}`);
      show({ title: words[verb].failed, body: messageOf(error), cancel: null });
    }
  }

  /** Hours may have passed: whoever took the token back, or paused control, meant this as well. null: it is carried out. */
  function whyNot({ verb, tokenId }: Pending): string | null {
    if (parts.controlPause.current() !== null) return 'control was paused when it was due';
    return parts.admits({ tokenId, scopes: verb === 'lock' ? new Set() : powerAlone })
      ? null
      : 'the token that ordered it was revoked, or may do less';
  }

  /** Nobody has so many at a time; they would push those that matter out of the record. */
  function refuseTooMany({ tokenId }: Caller): void {
    const now = clock.monotonic();
    if (now - counted.since >= countedMs) counted = { since: now, orders: new Map() };
    const count = (counted.orders.get(tokenId) ?? 0) + 1;
    counted.orders.set(tokenId, count);
    if (count > mostOrders) {
      throw new ServiceError('rate_limited', `At most ${mostOrders} power orders in ${countedMs / 1000} s`);
    }
  }

  /** A second one would surprise whoever gave the first. Locking at once is always right. */
  function refuseBeside(verb: Verb, seconds: number): void {
    if (pending === null || pending.verb === verb || (verb === 'lock' && seconds === 0)) return;
    throw new ServiceError(
      'conflict',
      `power.${pending.verb} is scheduled for ${iso(pending.at)}, ordered with the token ${pending.by.token}; cancel it first with power.cancel`,
    );
  }

  function settle(waiting: Pending): void {
    waiting.stop();
    setPending(null);
    try {
      file.clear();
    } catch (error) {
      log.warn(`power: the file of the pending order cannot be removed: ${messageOf(error)}`);
    }
  }

  function drop(by: Orderer, outcome: string): void {
    if (pending === null) return;
    const { verb } = pending;
    settle(pending);
    audit.note(verb, by, outcome);
  }

  function remember(waiting: Pending): void {
    try {
      file.write({ verb: waiting.verb, at: waiting.at, by: waiting.by });
    } catch (error) {
      log.warn(`power: the pending order cannot be saved: ${messageOf(error)}`);
    }
  }

  /** Timers stand still while the machine sleeps. What fell due meanwhile would hit somebody who has just come back. */
  function resumed(): void {
    if (pending === null) return;
    const waiting = pending;
    if (clock.now() >= waiting.at) {
      drop(waiting.by, 'dropped: the machine was asleep when it was due');
    } else {
      waiting.stop();
      arm(waiting);
    }
  }

  function notify({ verb, at, by }: Pending): () => void {
    return show({
      title: words[verb].will,
      body: `At ${new Date(at).toTimeString().slice(0, 8)}, ordered with the token ${by.token} from ${by.address}`,
      cancel: () => drop(atTheScreen, 'cancelled'),
    });
  }

  function forgetEarlier(): void {
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
}

/** A day may have 25 hours. */
const farthestMs = 25 * 3_600_000;

function secondsUntil({ delay, at }: Pick<PowerInput, 'delay' | 'at'>, now: number): number {
  if (at == null) return delay ?? 0;
  if (delay != null) throw new ServiceError('invalid', 'Either delay or at says when, not both');
  const moment = parseNextMoment(at, now);
  if (moment === null) throw new ServiceError('invalid', 'at must be HH:MM or an ISO time');
  if (moment < now || moment > now + farthestMs)
    throw new ServiceError('invalid', 'at must be within the next 24 hours');
  return (moment - now) / 1000;
}

const iso = (ms: number) => new Date(ms).toISOString();
