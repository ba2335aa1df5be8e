import type { MediaSession } from './mediacontrol.ts';

const PLAYING = 4;

/**
 * Seconds from the beginning at `now` (Unix seconds), extrapolated: programs report their position only occasionally.
 * null: not reported.
 */
export function sessionPosition({ timeline, status, rate }: MediaSession, now: number): number | null {
  const { start, end, position, updatedAt } = timeline;
  if (updatedAt <= 0 || (position === 0 && end <= start)) return null;
  const gone = status === PLAYING ? Math.max(0, now - updatedAt) * (rate ?? 1) : 0;
  const at = Math.max(0, position - start + gone);
  return end > start ? Math.min(at, end - start) : at;
}
