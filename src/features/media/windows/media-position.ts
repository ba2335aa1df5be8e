import type { MediaSession } from './mediacontrol.ts';

const PLAYING = 4;

/**
 * Seconds from the beginning at a moment (Unix seconds). Programs tell their position now and then only, so what plays has gone on since.
 * null: the program tells none.
 */
export function sessionPosition({ timeline, status, rate }: MediaSession, now: number): number | null {
  const { start, end, position, updatedAt } = timeline;
  if (updatedAt <= 0 || (position === 0 && end <= start)) return null;
  const gone = status === PLAYING ? Math.max(0, now - updatedAt) * (rate ?? 1) : 0;
  const at = Math.max(0, position - start + gone);
  return end > start ? Math.min(at, end - start) : at;
}
