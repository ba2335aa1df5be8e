import type { Clock } from '../../lib/clock.ts';

/** Starts `work` at most once per pause and never while it runs, however often it is requested. `work` must not reject. */
export function createPaced(clock: Clock, pauseMs: number, work: () => Promise<void>) {
  let startedAt = Number.NEGATIVE_INFINITY;
  /** When the pending run is due, monotonic. Infinity: none is pending. */
  let dueAt = Number.POSITIVE_INFINITY;
  let isRunning = false;
  let cancelTimer = () => {};

  const schedule = () => {
    cancelTimer();
    if (isRunning || dueAt === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(dueAt, startedAt + pauseMs) - clock.monotonic();
    if (waitMs > 0) cancelTimer = clock.after(waitMs, run);
    else run();
  };

  const run = () => {
    dueAt = Number.POSITIVE_INFINITY;
    startedAt = clock.monotonic();
    isRunning = true;
    void work().finally(() => {
      isRunning = false;
      schedule();
    });
  };

  return {
    /** Requests a run after `delayMs` at the latest, if the pause is over by then. Requests are merged: at most one is pending. */
    ask(delayMs = 0) {
      const due = clock.monotonic() + delayMs;
      if (due >= dueAt) return;
      dueAt = due;
      schedule();
    },
    cancel() {
      dueAt = Number.POSITIVE_INFINITY;
      cancelTimer();
    },
  };
}
