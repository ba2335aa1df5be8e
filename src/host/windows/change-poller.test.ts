import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { lookAgain } from './change-poller.ts';

test('tells of changes, not of failures, until it is stopped', async () => {
  const clock = fakeClock();
  let value: number | null = 1;
  let told = 0;
  const look = async () => {
    if (value === null) throw new Error('not now');
    return { value };
  };
  const stop = lookAgain(clock, 1000, look, () => {
    told += 1;
  });
  const pass = async (next: number | null) => {
    value = next;
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    return told;
  };
  await new Promise((resolve) => setImmediate(resolve));
  expect([await pass(1), await pass(2), await pass(2), await pass(null), await pass(2), await pass(3)]).toEqual([
    0, 1, 1, 1, 1, 2,
  ]);
  stop();
  expect(await pass(4)).toBe(2);
  expect(clock.advanceToNext()).toBe(false);
});
