import { describe, expect, test } from 'bun:test';
import { createUnauthenticatedRateLimiter } from './unauthenticated-rate-limiter.ts';

const limits = { free: 10, perAddress: 3, ms: 8, msInAll: 40 };

/** `ask` is one request that takes `ms` to answer; `over` ends the turn. */
function createTest() {
  let now = 0;
  let end = () => {};
  const turn = createUnauthenticatedRateLimiter(limits, {
    monotonic: () => now,
    after(_ms, callback) {
      end = callback;
      return () => {};
    },
  });
  return {
    ask(address: string, ms = 1): boolean {
      const admitted = turn.admits(() => address);
      now += admitted ? ms : 0;
      return admitted;
    },
    over: () => end(),
  };
}

describe('requests without a token, in one turn of the event loop', () => {
  test('an address that pipelines requests is refused after a few milliseconds, and others are not', () => {
    const { ask } = createTest();
    const answered = Array.from({ length: 2000 }, () => ask('192.0.2.1', 0.1)).filter((admitted) => admitted).length;
    expect(answered).toBeGreaterThan(limits.free);
    expect(answered).toBeLessThanOrEqual(limits.free + limits.ms / 0.1 + 2);
    expect(ask('192.0.2.2')).toBe(true);
    expect(ask('192.0.2.1')).toBe(false);
  });

  test('a refused address is answered again in the next turn', () => {
    const { ask, over } = createTest();
    for (let count = 0; count < 2000; count++) ask('192.0.2.1');
    expect(ask('192.0.2.1')).toBe(false);
    over();
    expect(ask('192.0.2.1')).toBe(true);
  });

  test('many addresses together are refused as well', () => {
    const { ask } = createTest();
    let spent = 0;
    for (let count = 0; count < 2000; count++) if (ask(`198.51.100.${count % 100}`)) spent++;
    expect(spent).toBeLessThanOrEqual(2 * limits.free + 100);
    expect(ask('198.51.100.7')).toBe(false);
    expect(ask('192.0.2.7')).toBe(true);
  });

  test('an IPv6 network of 64 bits counts as one address', () => {
    const { ask } = createTest();
    for (let count = 0; count < 200; count++) ask(`2001:db8:0:1::${count.toString(16)}`);
    expect(ask('2001:db8:0:1::ffff')).toBe(false);
    expect(ask('2001:db8:0:2::1')).toBe(true);
  });

  test('at least `free` requests of a turn are answered on a slow machine, and any number on a fast one', () => {
    for (let earlier = 0; earlier < 2 * limits.free; earlier++) {
      const slow = createTest();
      // Any number of requests in earlier turns.
      for (let count = 0; count < earlier; count++) {
        slow.ask('192.0.2.1', 1000);
        slow.over();
      }
      for (let count = 0; count < limits.free; count++) expect(slow.ask('192.0.2.1', 1000)).toBe(true);
    }
    const fast = createTest();
    for (let count = 0; count < 5000; count++) expect(fast.ask('192.0.2.1', 0.001)).toBe(true);
  });

  test('a request reads neither the clock nor the address, and sets no timer, unless many arrive in one turn', () => {
    let timers = 0;
    const turn = createUnauthenticatedRateLimiter(limits, {
      monotonic: () => 0,
      after() {
        timers++;
        return () => {};
      },
    });
    const unknown = () => {
      throw new Error('asked');
    };
    for (let count = 1; count < limits.free; count++) expect(turn.admits(unknown)).toBe(true);
    expect(timers).toBe(0);
    for (let count = 0; count <= limits.free; count++) expect(turn.admits(unknown)).toBe(true);
    expect(timers).toBe(1);
    expect(() => turn.admits(unknown)).toThrow('asked');
  });
});
