import type { Clock } from '../../../lib/clock.ts';

/** A clock that advances only while a timer is awaited, so that a replay is deterministic. */
export function createStillClock(start: number): Clock & { goOn(): void } {
  let passed = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => start + passed,
    monotonic: () => passed,
    cpu: () => 0,
    after(ms, callback) {
      const timer = { at: passed + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    goOn() {
      const next = timers.reduce<(typeof timers)[number] | null>(
        (first, timer) => (first === null || timer.at < first.at ? timer : first),
        null,
      );
      if (next === null) return;
      timers = timers.filter((other) => other !== next);
      passed = Math.max(passed, next.at);
      next.callback();
    },
  };
}
