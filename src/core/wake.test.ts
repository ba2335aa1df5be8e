import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import { createAudience } from './audience.ts';
import { watchWake } from './wake.ts';

function watching() {
  const clock = fakeClock();
  const hall = createAudience({ refresh: async () => {} }, clock);
  let wakes = 0;
  const stop = watchWake(clock, createSharedTimers(clock), hall, () => {
    wakes++;
  });
  return { clock, hall, stop, wakes: () => wakes };
}

const member = { delivered: async () => {} };

describe('a machine that slept', () => {
  test('is noticed within two seconds of its own time, once', () => {
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

  test('nobody listens: no timer runs, and what happened meanwhile is no news to the next one', () => {
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

  test('after the end it is silent', () => {
    const { clock, hall, stop } = watching();
    hall.join(member);
    stop();
    expect(clock.advanceToNext()).toBe(false);
  });
});
