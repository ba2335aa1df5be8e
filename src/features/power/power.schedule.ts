import type { ActionParts, ActionResult } from '../../core/action.ts';
import { type Caller, shareIdOf } from '../../core/caller.ts';
import { requireScope } from '../../core/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseNextMoment } from '../../lib/durations.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { ordererOf } from './power.audit.ts';
import type { VerbControl } from './power.contract.ts';
import { controlOf, type LoadPower, loadControl } from './power.control.ts';
import { type ArmedOrder, createPendingOrders, iso, type PendingOrders } from './power.pending.ts';
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
  const { host } = parts;
  const { clock } = host;
  const orders = createPendingOrders(parts, load);
  const refuseTooMany = createOrderLimit(clock);

  return {
    async order(verb, { force, ...when }, caller) {
      const by = ordererOf(caller);
      refuseTooMany(caller);
      try {
        const seconds = secondsUntil(when, clock.now());
        const control = await controlOf(host, verb, load);
        refuseBeside(orders.current(), verb, seconds);
        if (seconds <= 0) return await performNow(orders, control, { verb, by, force: force ?? false }, clock.now);
        await control.check({ force: force ?? false });
        refuseBeside(orders.current(), verb, seconds);
        orders.replace();
        const at = clock.now() + seconds * 1000;
        orders.add({ verb, by, force: force ?? false, tokenId: caller.tokenId, at });
        orders.audit.note(verb, by, `scheduled for ${iso(at)}`);
        const message = `${words[verb].will} at ${iso(at)}; power.cancel cancels it`;
        return { message, data: { action: verb, at: iso(at) } };
      } catch (error) {
        orders.audit.note(verb, by, `refused: ${messageOf(error)}`);
        throw error;
      }
    },
    cancel(caller) {
      const pending = orders.current();
      if (pending === null)
        throw new ServiceError('conflict', 'No power order is pending, so there is nothing to cancel');
      // A caller without the scope power may cancel a pending lock only.
      if (pending.verb !== 'lock') requireScope(caller, 'power');
      const { verb, at } = pending;
      orders.drop(ordererOf(caller), 'cancelled');
      return { message: `power.${verb} was cancelled`, data: { action: verb, at: iso(at) } };
    },
    followPending: orders.follow,
    pending: orders.current,
    close: orders.close,
  };
}

async function performNow(
  orders: PendingOrders,
  control: VerbControl,
  order: Pick<ArmedOrder, 'verb' | 'by' | 'force'>,
  now: () => number,
): Promise<ActionResult<PowerOutput>> {
  const { verb, by } = order;
  const message = await orders.perform(control, order);
  if (orders.current()?.verb === verb) orders.replace();
  orders.audit.note(verb, by, `done: ${message}`);
  return { message, data: { action: verb, at: iso(now()) } };
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
function refuseBeside(pending: ArmedOrder | null, verb: Verb, seconds: number): void {
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
