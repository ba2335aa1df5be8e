import { messageOf } from '../lib/errors.ts';
import { messageAbout } from './engine.message.ts';
import { publish } from './engine.publish.ts';
import { saveAlerts } from './engine.saved.ts';
import { type EngineState, makeId, momentsOf, setMemory, type WatchedRule } from './engine.state.ts';
import type { AlertOutcome } from './notification.ts';
import { type AlertPhase, afterTry, isDue, isWorthWarning, withTask } from './notification-state.ts';
import { afterWait, isQuietFor, type Moments, waitOver } from './rule-state.ts';

/** How long an event is shown as active, ms. */
const holdMs = 5 * 60_000;
/** How often the clock is checked during a quiet time, ms. */
const quietCheckMs = 60_000;
const mostSending = 4;
/** How long a target waits for other alerts, which it then receives in one message, ms. */
const gatherMs = 5000;

interface Delivery {
  one: WatchedRule;
  target: string;
}

/** What a target gets: what is due, and what may be sent with it. */
interface DueOfWay {
  now: Delivery[];
  soon: Delivery[];
}

/** Sends due notifications, saves and publishes the state, and sets the timer for the next change. */
export function work(state: EngineState): void {
  const { parts, ending, watched } = state;
  if (ending.signal.aborted) return;
  const moments = momentsOf(parts);
  const due = new Map<string, DueOfWay>();
  const next = Math.min(...watched.map((one) => workOn(state, one, moments, due)));
  for (const [name, group] of due) if (group.now.length > 0) void deliver(state, name, [...group.now, ...group.soon]);
  saveAlerts(state);
  publish(state);
  state.cancelTimer();
  state.cancelTimer =
    next === Number.POSITIVE_INFINITY
      ? () => {}
      : parts.host.clock.after(Math.max(0, next - moments.monotonic), () => onTimer(state));
}

/** Adds what is to be sent to `due`. Returns the monotonic time of the rule's next change; infinite: no change is due. */
function workOn(state: EngineState, one: WatchedRule, { now, monotonic }: Moments, due: Map<string, DueOfWay>): number {
  const { rule, ways, memory, condition, timing } = one;
  const { quiet, targets } = state.parts.settings().alerts;
  let next = Number.POSITIVE_INFINITY;
  if (condition.kind !== 'series') next = waitOver(memory, timing, holdMs) ?? next;
  const isQuiet = isQuietFor(rule, quiet, now);
  for (const [name, before] of ways) {
    const isGrouped = targets.some(({ id }) => id === name);
    const way = withTask(before, memory.episode, isGrouped ? monotonic + gatherMs : 0);
    ways.set(name, way);
    if (way.target === null || way.isGivenUp) continue;
    if (isQuiet && name !== 'mqtt') {
      next = Math.min(next, monotonic + quietCheckMs);
      continue;
    }
    const delivery = { one, target: way.target };
    if (!isDue(way, monotonic)) next = Math.min(next, way.nextAt);
    if (!isGrouped) {
      if (isDue(way, monotonic)) void deliver(state, name, [delivery]);
      continue;
    }
    const group = due.get(name) ?? { now: [], soon: [] };
    due.set(name, group);
    if (isDue(way, monotonic)) group.now.push(delivery);
    else if (way.tries === 0 && way.nextAt <= monotonic + gatherMs) group.soon.push(delivery);
  }
  return next;
}

function onTimer(state: EngineState): void {
  const { parts, watched } = state;
  for (const one of watched) {
    // A series is judged by its samples, not by the time without samples.
    if (one.condition.kind !== 'series')
      setMemory(parts, one, afterWait(one.memory, one.timing, holdMs, momentsOf(parts), makeId));
  }
  work(state);
}

async function deliver(state: EngineState, name: string, deliveries: readonly Delivery[]): Promise<void> {
  const { parts, ending } = state;
  if (state.sending >= mostSending) return;
  const ready = deliveries.flatMap(({ one, target }) => {
    const way = one.ways.get(name);
    if (one.memory.episode === null || way === undefined) return [];
    // No second attempt while this one is in flight.
    one.ways.set(name, { ...way, nextAt: Number.POSITIVE_INFINITY });
    const phase: AlertPhase = target.endsWith(':begun') ? 'begun' : 'ended';
    return [{ one, target, message: messageAbout(parts.host, one, phase, way.delivered?.episode) }];
  });
  const [first, ...others] = ready.map(({ message }) => message);
  if (first === undefined) return;
  state.sending += 1;
  const outcome = await parts.send(name, first, ending.signal, others).catch(
    (error: unknown): AlertOutcome => ({
      ok: false,
      error: messageOf(error),
      retry: true,
      askedForMs: null,
    }),
  );
  state.sending -= 1;
  if (ending.signal.aborted) return;
  // One for the whole group, so that it stays together.
  const random = parts.random();
  for (const { one, target } of ready) applyOutcome(state, one, name, target, outcome, random);
  if (!outcome.ok && outcome.askedForMs !== null) holdBack(state, name, outcome.askedForMs);
  work(state);
}

/** The requested delay of a target applies to all rules that it receives. */
function holdBack({ parts, watched }: EngineState, name: string, askedForMs: number): void {
  if (!parts.settings().alerts.targets.some(({ id }) => id === name)) return;
  const until = momentsOf(parts).monotonic + askedForMs;
  for (const { ways } of watched) {
    const way = ways.get(name);
    if (way !== undefined)
      ways.set(name, { ...way, gapUntil: Math.max(way.gapUntil, until), nextAt: Math.max(way.nextAt, until) });
  }
}

function applyOutcome(
  { parts }: EngineState,
  one: WatchedRule,
  name: string,
  target: string,
  outcome: AlertOutcome,
  random: number,
): void {
  const current = one.ways.get(name);
  if (current === undefined) return;
  const { now, monotonic } = momentsOf(parts);
  const after = afterTry(current, target, outcome, { now, monotonic, random });
  if (outcome.ok || !isWorthWarning(current, after, monotonic)) {
    one.ways.set(name, after);
    return;
  }
  one.ways.set(name, { ...after, warnedAt: monotonic });
  const reason = outcome.full ?? after.error ?? outcome.error;
  const retry = after.isGivenUp ? '' : '. It will be tried again';
  parts.log.warn(`alerts: ${one.rule.id} could not be sent to ${name}: ${reason}${retry}`);
}
