import type { Clock } from './clock.ts';

/** Calls back at once, and for requests within the pause once at its end: bursts are merged, and no call is delayed by more than the pause. */
export function createThrottle(
  clock: Pick<Clock, 'monotonic' | 'after'>,
  pauseMs: number,
  callback: () => void,
): { ask(): void; cancel(): void } {
  let calledAt = Number.NEGATIVE_INFINITY;
  let cancelPending: (() => void) | null = null;
  const now = () => {
    cancelPending = null;
    calledAt = clock.monotonic();
    callback();
  };
  return {
    ask() {
      if (cancelPending !== null) return;
      const wait = calledAt + pauseMs - clock.monotonic();
      if (wait <= 0) now();
      else cancelPending = clock.after(wait, now);
    },
    cancel() {
      cancelPending?.();
      cancelPending = null;
    },
  };
}
