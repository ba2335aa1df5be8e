import type { Clock } from '../lib/clock.ts';

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    cpu() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    after(ms, callback) {
      // A timer of 0 would be one of a millisecond, in which the process falls asleep and the runtime tidies up.
      if (ms <= 0) {
        const turn = setImmediate(callback);
        return () => clearImmediate(turn);
      }
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
