import type { AlertWayState } from '../core/alerts.schema.ts';
import type { AlertOutcome } from './notification.ts';
import type { Episode, RuleMemory } from './rule-state.ts';

export type AlertPhase = 'begun' | 'ended';

/** What one way has delivered about one rule, and what it has to deliver: the latest only. */
export interface WayMemory {
  /** The last delivery; null: none. */
  delivered: { episode: string; phase: AlertPhase; at: number } | null;
  /** What to deliver now, `episode:phase`; null: nothing. */
  target: string | null;
  tries: number;
  /** Monotonic, when the next attempt is due; infinite while one is in flight. */
  nextAt: number;
  /** Monotonic; nothing else is sent before this. */
  gapUntil: number;
  /** Monotonic, when a failure was last logged; null: never. */
  warnedAt: number | null;
  error: string | null;
  isGivenUp: boolean;
}

export const newWay: WayMemory = {
  delivered: null,
  target: null,
  tries: 0,
  nextAt: 0,
  gapUntil: 0,
  warnedAt: null,
  error: null,
  isGivenUp: false,
};

/** Minimum time between two deliveries of a rule by one way; what happens meanwhile is sent together. */
export const gapMs = 60_000;

/** Delays after each failure, ms: six attempts within an hour. */
export const pausesMs: readonly number[] = [10_000, 60_000, 300_000, 900_000, 1_800_000];

/** The phase to deliver; null: none. An end is sent only by a way that has delivered the beginning. */
export function phaseToDeliver(episode: Episode | null, { delivered, tries }: WayMemory): AlertPhase | null {
  if (episode === null) return null;
  const isDelivered = delivered?.episode === episode.id;
  if (episode.isMoment) return isDelivered || (episode.ended !== null && tries === 0) ? null : 'begun';
  if (episode.ended === null) return isDelivered ? null : 'begun';
  return delivered?.phase === 'begun' ? 'ended' : null;
}

/** The way with its current target, which is not due before `earliest`. A pending pause also applies to a new target, or a frequent event would notify without pause. */
export function withTask(way: WayMemory, episode: Episode | null, earliest = 0): WayMemory {
  const phase = phaseToDeliver(episode, way);
  const target = phase === null || episode === null ? null : `${episode.id}:${phase}`;
  if (target === way.target) return way;
  const { tries, isGivenUp, error, gapUntil } = way;
  const isSending = way.nextAt === Number.POSITIVE_INFINITY;
  if (target === null)
    return {
      ...way,
      target,
      tries: 0,
      isGivenUp: false,
      error: isGivenUp ? error : null,
      nextAt: isSending ? way.nextAt : gapUntil,
    };
  const nextAt = Math.max(way.nextAt, gapUntil, earliest);
  if (isGivenUp) return { ...way, target, tries: 0, nextAt, isGivenUp: false, error: null };
  // A new target has its own attempts; earlier failures count as one.
  return { ...way, target, tries: Math.min(tries, 1), nextAt };
}

export function isDue({ target, isGivenUp, nextAt }: WayMemory, monotonic: number): boolean {
  return target !== null && !isGivenUp && nextAt <= monotonic;
}

/** Applies the outcome of an attempt. `random`, 0 to 1, spreads machines that failed together. */
export function afterTry(
  way: WayMemory,
  target: string,
  outcome: AlertOutcome,
  { now, monotonic, random }: { now: number; monotonic: number; random: number },
): WayMemory {
  const at = target.lastIndexOf(':');
  if (outcome.ok) {
    const delivered = {
      episode: target.slice(0, at),
      phase: target.endsWith(':begun') ? 'begun' : 'ended',
      at: now,
    } as const;
    const gapUntil = monotonic + gapMs;
    const { target: next } = way;
    return {
      ...way,
      delivered,
      error: null,
      tries: 0,
      target: next === target ? null : next,
      gapUntil,
      nextAt: gapUntil,
    };
  }
  const askedForMs = outcome.askedForMs ?? 0;
  const gapUntil = monotonic + Math.max(gapMs, askedForMs);
  // The target has changed meanwhile.
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

/** The text for a way whose last delivery was the episode `since`: all later ones, each once. */
export function textSince(recent: RuleMemory['recent'], since: string | null, longest: number): string {
  const after = recent.slice(recent.findIndex(({ id }) => id === since) + 1).map(({ text }) => text);
  // A later text may contain earlier ones.
  const texts = after.filter((text, at) => !after.slice(at + 1).some((later) => later.includes(text)));
  const whole = texts.join('; ');
  return whole.length <= longest ? whole : `…${whole.slice(1 - longest)}`.toWellFormed();
}

/** Whether to log this failure: the first, the last and any different error, at most once within the gap. */
export function isWorthWarning(before: WayMemory, after: WayMemory, monotonic: number): boolean {
  if (after.target === null || (before.warnedAt !== null && monotonic - before.warnedAt < gapMs)) return false;
  return after.isGivenUp || after.tries <= 1 || after.error !== before.error;
}

export function wayStateOf(name: string, { delivered, target, tries, error, isGivenUp }: WayMemory): AlertWayState {
  return {
    way: name,
    state: isGivenUp ? 'failed' : target !== null ? 'waiting' : delivered === null ? 'idle' : 'told',
    told: delivered === null ? null : Math.floor(delivered.at / 1000),
    tries,
    error,
  };
}
