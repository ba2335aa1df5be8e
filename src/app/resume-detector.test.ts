import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createSubscribers } from '../core/subscribers.ts';
import type { FollowWallClock } from '../host/machine-events.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import { watchWake } from './resume-detector.ts';

function watching(wallClock?: FollowWallClock) {
  const clock = fakeClock();
  const hall = createSubscribers({ refresh: async () => {} }, clock);
  let wakes = 0;
  const stop = watchWake({ clock, ...(wallClock && { wallClock }) }, createSharedTimers(clock), hall, () => {
    wakes++;
  });
  return { clock, hall, stop, wakes: () => wakes };
}

const member = { delivered: async () => {} };

describe('a machine that slept', () => {
  test('is detected within two seconds of its own time, once', () => {
    const { clock, hall, wakes } = watching();
    hall.join(member);
    clock.advance(5000);
    expect(wakes()).toBe(0);
    clock.set(clock.now() + 3_600_000);
    clock.advance(2000);
    expect(wakes()).toBe(1);
    clock.advance(60_000);
    expect(wakes()).toBe(1);
  });

  test('a clock that is set back counts as well, a small correction does not', () => {
    const { clock, hall, wakes } = watching();
    hall.join(member);
    clock.set(clock.now() + 500);
    clock.advance(3000);
    expect(wakes()).toBe(0);
    clock.set(clock.now() - 3_600_000);
    clock.advance(2000);
    expect(wakes()).toBe(1);
  });

  test('without a listener no timer runs, and a later listener is not notified of the past', () => {
    const { clock, hall, wakes } = watching();
    expect(clock.advanceToNext()).toBe(false);
    const leave = hall.join(member);
    leave();
    expect(clock.advanceToNext()).toBe(false);
    clock.set(clock.now() + 3_600_000);
    hall.join(member);
    clock.advance(3000);
    expect(wakes()).toBe(0);
  });

  test('after the end no listener is notified', () => {
    const { clock, hall, stop } = watching();
    hall.join(member);
    stop();
    expect(clock.advanceToNext()).toBe(false);
  });
});

describe('a system that announces clock changes', () => {
  function announcing() {
    const follower = { moved: () => {}, lost: () => {}, followers: 0 };
    const wallClock: FollowWallClock = async (moved, lost) => {
      Object.assign(follower, { moved, lost });
      follower.followers++;
      return () => follower.followers--;
    };
    return { follower, ...watching(wallClock) };
  }

  test('is trusted: no timer runs, and a jump is reported at once', async () => {
    const { clock, hall, wakes, follower } = announcing();
    expect(follower.followers).toBe(0);
    hall.join(member);
    await Promise.resolve();
    expect(clock.advanceToNext()).toBe(false);
    follower.moved();
    expect(wakes()).toBe(0);
    clock.set(clock.now() + 3_600_000);
    follower.moved();
    follower.moved();
    expect(wakes()).toBe(1);
  });

  test('without a listener it is not watched, also if the last listener leaves before it answers', async () => {
    const { clock, hall, follower } = announcing();
    hall.join(member)();
    await Promise.resolve();
    await Promise.resolve();
    expect(follower.followers).toBe(0);
    const leave = hall.join(member);
    await Promise.resolve();
    expect(follower.followers).toBe(1);
    leave();
    expect(follower.followers).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('if it stops or cannot be watched, the clock is checked every second', async () => {
    const { clock, hall, wakes, follower } = announcing();
    hall.join(member);
    await Promise.resolve();
    follower.lost();
    clock.set(clock.now() + 3_600_000);
    clock.advance(2000);
    expect(wakes()).toBe(1);
    const other = watching(() => Promise.reject(new Error('no timers here')));
    other.hall.join(member);
    await Promise.resolve();
    other.clock.set(other.clock.now() + 3_600_000);
    other.clock.advance(2000);
    expect(other.wakes()).toBe(1);
  });
});
