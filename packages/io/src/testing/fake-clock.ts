import type { Clock } from '../clock.ts';

export interface FakeClock extends Clock {
  /** Advances both clocks and calls the timers that fall due. */
  advance(ms: number): void;
  /** Advances to the next timer and calls it; false: no timer is pending. */
  advanceToNext(): boolean;
  /** Advances both clocks without calling timers, as when the process does not get to run. */
  stall(ms: number): void;
  /** Sets the wall clock only. */
  set(now: number): void;
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  let monotonic = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const earliest = () => timers.reduce((first, timer) => (timer.at < first.at ? timer : first), timers[0] ?? never);
  const pass = (ms: number) => {
    now += ms;
    monotonic += ms;
  };
  const clock: FakeClock = {
    now: () => now,
    monotonic: () => monotonic,
    cpu: () => 0,
    after(ms, callback) {
      const timer = { at: monotonic + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = monotonic + ms;
      while (earliest().at <= until) clock.advanceToNext();
      pass(until - monotonic);
    },
    advanceToNext() {
      const timer = earliest();
      if (timer === never) return false;
      timers = timers.filter((other) => other !== timer);
      pass(Math.max(0, timer.at - monotonic));
      timer.callback();
      return true;
    },
    stall: pass,
    set(next) {
      now = next;
    },
  };
  return clock;
}

const never = { at: Number.POSITIVE_INFINITY, callback: () => {} };
