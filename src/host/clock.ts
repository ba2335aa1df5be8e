import type { Clock } from '../lib/clock.ts';

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    cpu() {
      // Linux brings the time of the running thread up to date when the whole process is asked about (getrusage, RUSAGE_SELF), not when
      // the thread is: without this, short work counts as nothing until the scheduler's next tick.
      process.cpuUsage();
      const { user, system } = process.threadCpuUsage();
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
