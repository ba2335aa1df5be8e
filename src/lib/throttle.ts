import type { Clock } from './clock.ts';

/** Tells at once, and of what follows closely only after the pause: so a burst is joined, and nothing is ever late by more than that. */
export function createThrottle(clock: Clock, pauseMs: number, tell: () => void): { ask(): void; cancel(): void } {
  let toldAt = Number.NEGATIVE_INFINITY;
  let cancelPending: (() => void) | null = null;
  const now = () => {
    cancelPending = null;
    toldAt = clock.monotonic();
    tell();
  };
  return {
    ask() {
      if (cancelPending !== null) return;
      const wait = toldAt + pauseMs - clock.monotonic();
      if (wait <= 0) now();
      else cancelPending = clock.after(wait, now);
    },
    cancel() {
      cancelPending?.();
      cancelPending = null;
    },
  };
}
