import { describe, expect, test } from 'bun:test';
import { createStrangersTurn } from './unauthenticated-rate-limiter.ts';

const limits = { free: 10, perAddress: 3, ms: 8, msInAll: 40 };

/** `ask` is one request, which takes its time; `over` lets the others have their turn. */
function createTest() {
  let now = 0;
  let end = () => {};
  const turn = createStrangersTurn(limits, {
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

describe('requests without a token, in one turn', () => {
  test('an address that sends one after the other is refused after a few milliseconds, and others are not', () => {
    const { ask } = createTest();
    const answered = Array.from({ length: 2000 }, () => ask('192.0.2.1', 0.1)).filter((admitted) => admitted).length;
    expect(answered).toBeGreaterThan(limits.free);
    expect(answered).toBeLessThanOrEqual(limits.ms / 0.1 + 2);
    expect(ask('192.0.2.2')).toBe(true);
    expect(ask('192.0.2.1')).toBe(false);
  });

  test('it is answered again as soon as the others had their turn', () => {
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
    expect(spent).toBeLessThanOrEqual(limits.free + 100);
    expect(ask('198.51.100.7')).toBe(false);
    expect(ask('192.0.2.7')).toBe(true);
  });

  test('one network of IPv6 is one address', () => {
    const { ask } = createTest();
    for (let count = 0; count < 200; count++) ask(`2001:db8:0:1::${count.toString(16)}`);
    expect(ask('2001:db8:0:1::ffff')).toBe(false);
    expect(ask('2001:db8:0:2::1')).toBe(true);
  });

  test('a few are answered however slow the machine is, and any number where it is fast', () => {
    const slow = createTest();
    for (let count = 0; count < limits.free; count++) expect(slow.ask('192.0.2.1', 1000)).toBe(true);
    const fast = createTest();
    for (let count = 0; count < 5000; count++) expect(fast.ask('192.0.2.1', 0.001)).toBe(true);
  });

  test('addresses are asked for only when many come', () => {
    const turn = createStrangersTurn(limits, { monotonic: () => 0, after: () => () => {} });
    const unknown = () => {
      throw new Error('asked');
    };
    for (let count = 0; count < limits.free; count++) expect(turn.admits(unknown)).toBe(true);
    expect(() => turn.admits(unknown)).toThrow('asked');
  });
});
