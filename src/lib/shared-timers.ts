import type { Clock } from './clock.ts';

/** One timer for everything that is due at the same moment: each of its own would be a wake-up of its own. */
export interface SharedTimers {
  /** Calls back once, at the next multiple of the interval. Returns the way to cancel. Errors of the callback are its own to catch. */
  next(everyMs: number, callback: () => void): () => void;
}

interface SharedTimer {
  callbacks: Set<() => void>;
  cancelTimer(): void;
}

export function createSharedTimers(clock: Clock): SharedTimers {
  /** By their moments on the monotonic clock. */
  const timers = new Map<number, SharedTimer>();

  const begin = (at: number): SharedTimer => {
    const callbacks = new Set<() => void>();
    const cancelTimer = clock.after(at - clock.monotonic(), () => {
      timers.delete(at);
      for (const callback of callbacks) callback();
    });
    return { callbacks, cancelTimer };
  };

  return {
    next(everyMs, callback) {
      const at = nextMultiple(everyMs, clock.monotonic());
      const timer = timers.get(at) ?? begin(at);
      timers.set(at, timer);
      // One function may be due twice.
      const entry = () => callback();
      timer.callbacks.add(entry);
      return () => {
        if (!timer.callbacks.delete(entry) || timer.callbacks.size > 0 || timers.get(at) !== timer) return;
        timers.delete(at);
        timer.cancelTimer();
      };
    },
  };
}

/** Timers may fire a little early; the timer that was just done must not come again. */
function nextMultiple(everyMs: number, now: number): number {
  const next = (Math.floor(now / everyMs) + 1) * everyMs;
  return next - now < everyMs / 4 ? next + everyMs : next;
}
