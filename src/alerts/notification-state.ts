import type { AlertWayState } from '../core/alerts.schema.ts';
import type { AlertOutcome } from './notification.ts';
import type { Episode, RuleMemory } from './rule-state.ts';

export type AlertPhase = 'begun' | 'ended';

/** What one way was told about one rule, and what it is to be told. There is never more than one thing: the latest. */
export interface WayMemory {
  /** The last thing that arrived; null: nothing did. */
  told: { episode: string; phase: AlertPhase; at: number } | null;
  /** What it is to be told now, `episode:phase`; null: nothing. */
  target: string | null;
  /** Failed tries in a row. */
  tries: number;
  /** Monotonic, when it is tried next; infinite while it is being told. */
  nextAt: number;
  /** Monotonic; before this nothing else is told, whatever happens. */
  gapUntil: number;
  /** Monotonic, when the log was told of a failure; null: never. */
  warnedAt: number | null;
  error: string | null;
  isGivenUp: boolean;
}

export const newWay: WayMemory = {
  told: null,
  target: null,
  tries: 0,
  nextAt: 0,
  gapUntil: 0,
  warnedAt: null,
  error: null,
  isGivenUp: false,
};

/** Each rule tells each way at most one thing in this time; what comes meanwhile is told together. */
export const gapMs = 60_000;

/** Waits after each failure, ms: six tries within an hour. */
export const pausesMs: readonly number[] = [10_000, 60_000, 300_000, 900_000, 1_800_000];

/** What there is to tell; null: nothing. An end is told to whoever was told of the beginning, and to nobody else. */
export function phaseToTell(episode: Episode | null, { told, tries }: WayMemory): AlertPhase | null {
  if (episode === null) return null;
  const isTold = told?.episode === episode.id;
  if (episode.isMoment) return isTold || (episode.ended !== null && tries === 0) ? null : 'begun';
  if (episode.ended === null) return isTold ? null : 'begun';
  return told?.phase === 'begun' ? 'ended' : null;
}

/** The way with its task. What it had to wait for, it waits for with another task as well: else something that happens all the time is told all the time. */
export function withTask(way: WayMemory, episode: Episode | null): WayMemory {
  const phase = phaseToTell(episode, way);
  const target = phase === null || episode === null ? null : `${episode.id}:${phase}`;
  if (target === way.target) return way;
  const { tries, isGivenUp, error, gapUntil } = way;
  const isTelling = way.nextAt === Number.POSITIVE_INFINITY;
  if (target === null)
    return {
      ...way,
      target,
      tries: 0,
      isGivenUp: false,
      error: isGivenUp ? error : null,
      nextAt: isTelling ? way.nextAt : gapUntil,
    };
  const nextAt = Math.max(way.nextAt, gapUntil);
  if (isGivenUp) return { ...way, target, tries: 0, nextAt, isGivenUp: false, error: null };
  // It has its own tries, of which those before it take one.
  return { ...way, target, tries: Math.min(tries, 1), nextAt };
}

export function isDue({ target, isGivenUp, nextAt }: WayMemory, monotonic: number): boolean {
  return target !== null && !isGivenUp && nextAt <= monotonic;
}

/** What became of a try. `random`, 0 to 1, spreads machines that failed together. */
export function afterTry(
  way: WayMemory,
  target: string,
  outcome: AlertOutcome,
  { now, monotonic, random }: { now: number; monotonic: number; random: number },
): WayMemory {
  const at = target.lastIndexOf(':');
  if (outcome.ok) {
    const told = {
      episode: target.slice(0, at),
      phase: target.endsWith(':begun') ? 'begun' : 'ended',
      at: now,
    } as const;
    const gapUntil = monotonic + gapMs;
    const { target: next } = way;
    return { ...way, told, error: null, tries: 0, target: next === target ? null : next, gapUntil, nextAt: gapUntil };
  }
  const askedForMs = outcome.askedForMs ?? 0;
  const gapUntil = monotonic + Math.max(gapMs, askedForMs);
  // Meanwhile there is something else to tell, or nothing.
  if (way.target !== target) {
    const waiting = { ...way, gapUntil, nextAt: gapUntil };
    return way.target === null || !outcome.retry ? waiting : { ...waiting, tries: 1, error: outcome.error };
  }
  const tries = way.tries + 1;
  const pause = pausesMs[tries - 1];
  if (!outcome.retry || pause === undefined)
    return {
      ...way,
      tries,
      gapUntil,
      nextAt: gapUntil,
      isGivenUp: true,
      error: outcome.retry ? `given up after ${tries} tries: ${outcome.error}` : outcome.error,
    };
  const waitMs = Math.max(pause * (0.8 + random * 0.2), askedForMs);
  return { ...way, tries, error: outcome.error, gapUntil, nextAt: monotonic + waitMs };
}

/** What a way is told that knows of the episode `told`: all that came after it, each once. */
export function textSince(recent: RuleMemory['recent'], told: string | null, longest: number): string {
  const after = recent.slice(recent.findIndex(({ id }) => id === told) + 1).map(({ text }) => text);
  // A list of problems names those before it as well.
  const texts = after.filter((text, at) => !after.slice(at + 1).some((later) => later.includes(text)));
  const whole = texts.join('; ');
  return whole.length <= longest ? whole : `…${whole.slice(1 - longest)}`.toWellFormed();
}

/** Whether the log is told of this failure: the first, the last and any other error, and never twice within the gap. */
export function isWorthWarning(before: WayMemory, after: WayMemory, monotonic: number): boolean {
  if (after.target === null || (before.warnedAt !== null && monotonic - before.warnedAt < gapMs)) return false;
  return after.isGivenUp || after.tries <= 1 || after.error !== before.error;
}

export function wayStateOf(name: string, { told, target, tries, error, isGivenUp }: WayMemory): AlertWayState {
  return {
    way: name,
    state: isGivenUp ? 'failed' : target !== null ? 'waiting' : told === null ? 'idle' : 'told',
    told: told === null ? null : Math.floor(told.at / 1000),
    tries,
    error,
  };
}
