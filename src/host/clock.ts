import type { Clock } from '../lib/clock.ts';

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    cpu() {
      // Linux updates the time of the running thread for a query about the whole process (getrusage, RUSAGE_SELF), not for one about
      // the thread: without this, short work counts as nothing until the scheduler's next tick.
      process.cpuUsage();
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    },
    after(ms, callback) {
      // A timer of 0 would wait a millisecond, in which the process sleeps and the runtime collects garbage.
      if (ms <= 0) {
        const immediate = setImmediate(callback);
        return () => clearImmediate(immediate);
      }
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
