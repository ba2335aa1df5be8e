import type { AlertWayState } from '../core/alerts.schema.ts';
import type { AlertOutcome } from './message.ts';
import type { Episode } from './rule-state.ts';

export type AlertPhase = 'begun' | 'ended';

/** What one way was told about one rule, and what it is to be told. There is never more than one thing: the latest. */
export interface WayMemory {
  /** The last thing that arrived; null: nothing did. */
  told: { episode: string; phase: AlertPhase; at: number } | null;
  /** What it is to be told now, `episode:phase`; null: nothing. */
  target: string | null;
  tries: number;
  /** Monotonic, when it is tried next. */
  nextAt: number;
  error: string | null;
  isGivenUp: boolean;
}

export const newWay: WayMemory = { told: null, target: null, tries: 0, nextAt: 0, error: null, isGivenUp: false };

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

/** The way with its task; what was tried for another one does not count. */
export function withTask(way: WayMemory, episode: Episode | null, monotonic: number): WayMemory {
  const phase = phaseToTell(episode, way);
  const target = phase === null || episode === null ? null : `${episode.id}:${phase}`;
  if (target === way.target) return way;
  if (target === null) return { ...way, target, tries: 0, isGivenUp: false, error: way.isGivenUp ? way.error : null };
  return { ...way, target, tries: 0, nextAt: monotonic, isGivenUp: false, error: null };
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
    return { ...way, told, error: null, ...(way.target === target ? { target: null, tries: 0 } : {}) };
  }
  // Meanwhile there is something else to tell, with tries of its own.
  if (way.target !== target) return way;
  const tries = way.tries + 1;
  const pause = pausesMs[tries - 1];
  if (!outcome.retry || pause === undefined)
    return {
      ...way,
      tries,
      isGivenUp: true,
      error: outcome.retry ? `given up after ${tries} tries: ${outcome.error}` : outcome.error,
    };
  const waitMs = Math.max(pause * (0.8 + random * 0.2), outcome.askedForMs ?? 0);
  return { ...way, tries, error: outcome.error, nextAt: monotonic + waitMs };
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
