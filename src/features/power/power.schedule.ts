import type { ActionParts, ActionResult } from '../../core/action.ts';
import { type Caller, shareIdOf } from '../../core/caller.ts';
import { requireScope } from '../../core/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseNextMoment } from '../../lib/durations.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { ordererOf } from './power.audit.ts';
import type { VerbControl } from './power.contract.ts';
import { controlOf, type LoadPower, loadControl } from './power.control.ts';
import {
  type ArmedOrder,
  addPending,
  createState,
  dropPending,
  iso,
  type PowerState,
  perform,
  replacePending,
  reportLeftover,
} from './power.pending.ts';
import type { PendingPowerOrder } from './power.pending-file.ts';
import type { PowerInput, PowerOutput } from './power.schema.ts';
import { type Verb, words } from './power.verbs.ts';

/** Power orders: immediate ones, and at most one pending. Created when the service starts. */
export interface Power {
  order(verb: Verb, input: PowerInput, caller: Caller): Promise<ActionResult<PowerOutput>>;
  cancel(caller: Caller): ActionResult<PowerOutput>;
  /** Calls back now and whenever the pending order changes; returns the function that unsubscribes. */
  followPending(changed: (pending: PendingPowerOrder | null) => void): () => void;
  /** null: no order is pending. */
  pending(): PendingPowerOrder | null;
  close(): void;
}

const mostOrders = 30;
const countedMs = 10_000;

export function createPower(parts: ActionParts, load: LoadPower = loadControl): Power {
  const { host, log } = parts;
  const { clock } = host;
  const state = createState(parts, load);
  const refuseTooMany = createOrderLimit(clock);
  reportLeftover(state);

  return {
    async order(verb, { force, ...when }, caller) {
      const by = ordererOf(caller);
      refuseTooMany(caller);
      try {
        const seconds = secondsUntil(when, clock.now());
        const control = await controlOf(host, verb, load);
        refuseBeside(state, verb, seconds);
        return seconds > 0
          ? await schedule(state, control, { verb, by, force: force ?? false, tokenId: caller.tokenId }, seconds)
          : await performNow(state, control, { verb, force: force ?? false, by });
      } catch (error) {
        state.audit.note(verb, by, `refused: ${messageOf(error)}`);
        throw error;
      }
    },
    cancel(caller) {
      const { pending } = state;
      if (pending === null)
        throw new ServiceError('conflict', 'No power order is pending, so there is nothing to cancel');
      // A caller without the scope power may cancel a pending lock only.
      if (pending.verb !== 'lock') requireScope(caller, 'power');
      const { verb, at } = pending;
      dropPending(state, ordererOf(caller), 'cancelled');
      return { message: `power.${verb} was cancelled`, data: { action: verb, at: iso(at) } };
    },
    followPending(changed) {
      state.followers.add(changed);
      changed(state.pending);
      return () => void state.followers.delete(changed);
    },
    pending: () => state.pending,
    close() {
      const { pending } = state;
      // The file remains: the next run reports the order as dropped.
      if (pending !== null)
        log.warn(`power: ${pending.verb} was due at ${iso(pending.at)} and is dropped, since the service is stopping`);
      pending?.stop();
      state.pending = null;
      state.watch.close();
    },
  };
}

async function performNow(
  state: PowerState,
  control: VerbControl,
  order: Pick<ArmedOrder, 'verb' | 'force' | 'by'>,
): Promise<ActionResult<PowerOutput>> {
  const { verb, by } = order;
  const message = await perform(state, control, order);
  if (state.pending?.verb === verb) replacePending(state);
  state.audit.note(verb, by, `done: ${message}`);
  return { message, data: { action: verb, at: iso(state.clock.now()) } };
}

async function schedule(
  state: PowerState,
  control: VerbControl,
  order: Pick<ArmedOrder, 'verb' | 'by' | 'force' | 'tokenId'>,
  seconds: number,
): Promise<ActionResult<PowerOutput>> {
  await control.check(order);
  refuseBeside(state, order.verb, seconds);
  replacePending(state);
  const at = state.clock.now() + seconds * 1000;
  addPending(state, { ...order, at, stop: () => {} });
  state.audit.note(order.verb, order.by, `scheduled for ${iso(at)}`);
  const message = `${words[order.verb].will} at ${iso(at)}; power.cancel cancels it`;
  return { message, data: { action: order.verb, at: iso(at) } };
}

/** Limits orders by token: a flood would push the relevant lines out of the bounded audit file. */
function createOrderLimit(clock: Clock): (caller: Caller) => void {
  let since = clock.monotonic();
  const orders = new Map<string, number>();
  return (caller) => {
    const share = shareIdOf(caller);
    const now = clock.monotonic();
    if (now - since >= countedMs) {
      since = now;
      orders.clear();
    }
    const count = (orders.get(share) ?? 0) + 1;
    orders.set(share, count);
    if (count > mostOrders)
      throw new ServiceError('rate_limited', `At most ${mostOrders} power orders in ${countedMs / 1000} s`);
  };
}

/**
 * Refuses a verb other than the pending one. An immediate lock is always allowed. All other verbs need the scope power, so a pending lock, which
 * needs less, does not block them.
 */
function refuseBeside({ pending }: PowerState, verb: Verb, seconds: number): void {
  if (pending === null || pending.verb === verb || pending.verb === 'lock') return;
  if (verb === 'lock' && seconds === 0) return;
  throw new ServiceError(
    'conflict',
    `power.${pending.verb} is scheduled for ${iso(pending.at)}, ordered with the token ${pending.by.token}; cancel it first with power.cancel`,
  );
}

/** A day may have 25 hours. */
const farthestMs = 25 * 3_600_000;

function secondsUntil({ delay, at }: Pick<PowerInput, 'delay' | 'at'>, now: number): number {
  if (at == null) return delay ?? 0;
  if (delay != null) throw new ServiceError('invalid', 'Send either delay or at, not both');
  const moment = parseNextMoment(at, now);
  if (moment === null) throw new ServiceError('invalid', 'at must be HH:MM or an ISO time');
  if (moment < now || moment > now + farthestMs)
    throw new ServiceError('invalid', 'at must be within the next 24 hours');
  return (moment - now) / 1000;
}
