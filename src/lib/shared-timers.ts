import type { Clock } from './clock.ts';

/** One timer for everything that is due at the same moment: each of its own would be a wake-up of its own. */
export interface Beats {
  /** Calls back once, at the next multiple of the interval. Returns the way to cancel. Errors of the callback are its own to catch. */
  next(everyMs: number, callback: () => void): () => void;
}

interface Beat {
  callbacks: Set<() => void>;
  cancelTimer(): void;
}

export function createBeats(clock: Clock): Beats {
  /** By their moments on the monotonic clock. */
  const beats = new Map<number, Beat>();

  const begin = (at: number): Beat => {
    const callbacks = new Set<() => void>();
    const cancelTimer = clock.after(at - clock.monotonic(), () => {
      beats.delete(at);
      for (const callback of callbacks) callback();
    });
    return { callbacks, cancelTimer };
  };

  return {
    next(everyMs, callback) {
      const at = nextMultiple(everyMs, clock.monotonic());
      const beat = beats.get(at) ?? begin(at);
      beats.set(at, beat);
      // One function may be due twice.
      const entry = () => callback();
      beat.callbacks.add(entry);
      return () => {
        if (!beat.callbacks.delete(entry) || beat.callbacks.size > 0 || beats.get(at) !== beat) return;
        beats.delete(at);
        beat.cancelTimer();
      };
    },
  };
}

/** Timers may fire a little early; the beat that was just done must not come again. */
function nextMultiple(everyMs: number, now: number): number {
  const next = (Math.floor(now / everyMs) + 1) * everyMs;
  return next - now < everyMs / 4 ? next + everyMs : next;
}
