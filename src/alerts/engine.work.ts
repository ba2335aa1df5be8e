import { messageOf } from '../lib/errors.ts';
import { messageAbout } from './engine.message.ts';
import { publish } from './engine.publish.ts';
import { saveAlerts } from './engine.saved.ts';
import { type EngineState, makeId, momentsOf, setMemory, type WatchedRule } from './engine.state.ts';
import type { AlertOutcome } from './notification.ts';
import { type AlertPhase, afterTry, isDue, isWorthWarning, withTask } from './notification-state.ts';
import { afterWait, isQuietAt, type Moments, waitOver } from './rule-state.ts';

/** How long an event is shown as active, ms. */
const holdMs = 5 * 60_000;
/** How often the clock is checked during a quiet time, ms. */
const quietCheckMs = 60_000;
const mostSending = 4;

/** Sends due notifications, saves and publishes the state, and sets the timer for the next change. */
export function work(state: EngineState): void {
  const { parts, ending, watched } = state;
  if (ending.signal.aborted) return;
  const moments = momentsOf(parts);
  const next = Math.min(...watched.map((one) => workOn(state, one, moments)));
  saveAlerts(state);
  publish(state);
  state.cancelTimer();
  state.cancelTimer =
    next === Number.POSITIVE_INFINITY
      ? () => {}
      : parts.host.clock.after(Math.max(0, next - moments.monotonic), () => onTimer(state));
}

/** Returns the monotonic time of the rule's next change; infinite: no change is due. */
function workOn(state: EngineState, one: WatchedRule, { now, monotonic }: Moments): number {
  const { rule, ways, memory, condition, timing } = one;
  let next = Number.POSITIVE_INFINITY;
  if (condition.kind !== 'series') next = waitOver(memory, timing, holdMs) ?? next;
  const isQuiet = rule.quiet !== undefined && isQuietAt(rule.quiet, now);
  for (const [name, before] of ways) {
    const way = withTask(before, memory.episode);
    ways.set(name, way);
    if (way.target === null || way.isGivenUp) continue;
    if (isQuiet && name !== 'mqtt') next = Math.min(next, monotonic + quietCheckMs);
    else if (!isDue(way, monotonic)) next = Math.min(next, way.nextAt);
    else void deliver(state, one, name, way.target);
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

async function deliver(state: EngineState, one: WatchedRule, name: string, target: string): Promise<void> {
  const { parts, ending } = state;
  const way = one.ways.get(name);
  if (one.memory.episode === null || way === undefined || state.sending >= mostSending) return;
  state.sending += 1;
  // No second attempt while this one is in flight.
  one.ways.set(name, { ...way, nextAt: Number.POSITIVE_INFINITY });
  const phase: AlertPhase = target.endsWith(':begun') ? 'begun' : 'ended';
  const message = messageAbout(parts.host, one, phase, way.delivered?.episode);
  const outcome = await parts.send(name, message, ending.signal).catch(
    (error: unknown): AlertOutcome => ({
      ok: false,
      error: messageOf(error),
      retry: true,
      askedForMs: null,
    }),
  );
  state.sending -= 1;
  if (ending.signal.aborted) return;
  applyOutcome(state, one, name, target, outcome);
  work(state);
}

function applyOutcome(
  { parts }: EngineState,
  one: WatchedRule,
  name: string,
  target: string,
  outcome: AlertOutcome,
): void {
  const current = one.ways.get(name);
  if (current === undefined) return;
  const { now, monotonic } = momentsOf(parts);
  const after = afterTry(current, target, outcome, { now, monotonic, random: parts.random() });
  if (outcome.ok || !isWorthWarning(current, after, monotonic)) {
    one.ways.set(name, after);
    return;
  }
  one.ways.set(name, { ...after, warnedAt: monotonic });
  const reason = outcome.full ?? after.error ?? outcome.error;
  const retry = after.isGivenUp ? '' : '. It will be tried again';
  parts.log.warn(`alerts: ${one.rule.id} could not be sent to ${name}: ${reason}${retry}`);
}
