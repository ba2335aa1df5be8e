import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createSharedTimers } from './shared-timers.ts';

/** A clock that counts the timers that were started and not cancelled. */
function countingClock() {
  const clock = fakeClock();
  const counted = { timers: 0 };
  const after: typeof clock.after = (ms, callback) => {
    counted.timers += 1;
    const cancel = clock.after(ms, callback);
    return () => {
      counted.timers -= 1;
      cancel();
    };
  };
  return { clock: { ...clock, after }, counted };
}

test('callbacks due at the same time share one timer, whatever their interval', () => {
  const { clock, counted } = countingClock();
  const timers = createSharedTimers(clock);
  const fired: string[] = [];
  clock.advance(300);
  timers.next(1000, () => fired.push('a'));
  clock.advance(100);
  timers.next(500, () => fired.push('early'));
  timers.next(1000, () => fired.push('b'));
  // Too near to the next half second.
  expect(counted.timers).toBe(1);
  clock.advance(600);
  expect(fired).toEqual(['a', 'early', 'b']);
  clock.advance(10_000);
  expect(fired).toHaveLength(3);
});

test('the system timer is cancelled with its last callback', () => {
  const { clock, counted } = countingClock();
  const timers = createSharedTimers(clock);
  const fired: string[] = [];
  const cancels = ['a', 'b'].map((name) => timers.next(1000, () => fired.push(name)));
  cancels[0]?.();
  cancels[0]?.();
  expect(counted.timers).toBe(1);
  cancels[1]?.();
  expect(counted.timers).toBe(0);
  timers.next(1000, () => fired.push('c'));
  clock.advance(1000);
  expect(fired).toEqual(['c']);
});

test('a callback cancelled by another callback of the same timer is not called', () => {
  const { clock } = countingClock();
  const timers = createSharedTimers(clock);
  const fired: string[] = [];
  timers.next(1000, () => cancel());
  const cancel = timers.next(1000, () => fired.push('cancelled'));
  clock.advance(1000);
  expect(fired).toEqual([]);
});

test('a late callback does not skip the next multiple of its interval', () => {
  const { clock } = countingClock();
  const timers = createSharedTimers(clock);
  const fired: number[] = [];
  clock.advance(27_000);
  timers.next(15_000, () => fired.push(clock.monotonic()));
  clock.advance(3000);
  expect(fired).toEqual([30_000]);
});
