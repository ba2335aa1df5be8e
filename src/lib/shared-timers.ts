import type { Clock } from './clock.ts';

/** One timer for all callbacks that are due at the same time: each separate timer would be a separate wake-up. */
export interface SharedTimers {
  /** Calls back once, at the next multiple of the interval. Returns the function that cancels. The callback must catch its errors. */
  next(everyMs: number, callback: () => void): () => void;
}

interface SharedTimer {
  callbacks: Set<() => void>;
  cancelTimer(): void;
}

export function createSharedTimers(clock: Clock): SharedTimers {
  /** By due time on the monotonic clock. */
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
      // A function may be registered twice.
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

/** Timers may fire early by this much; a finished timer must not be scheduled again. */
const earlyMs = 500;

function nextMultiple(everyMs: number, now: number): number {
  const next = (Math.floor(now / everyMs) + 1) * everyMs;
  return next - now < Math.min(earlyMs, everyMs / 4) ? next + everyMs : next;
}
