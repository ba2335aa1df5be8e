import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { pollChanges } from './change-poller.ts';

test('the poller reports changes, not failures, until it is stopped', async () => {
  const clock = fakeClock();
  let value: number | null = 1;
  let calls = 0;
  const read = async () => {
    if (value === null) throw new Error('not now');
    return { value };
  };
  const stop = pollChanges(clock, 1000, read, () => {
    calls += 1;
  });
  const pass = async (next: number | null) => {
    value = next;
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    return calls;
  };
  await new Promise((resolve) => setImmediate(resolve));
  expect([await pass(1), await pass(2), await pass(2), await pass(null), await pass(2), await pass(3)]).toEqual([
    0, 1, 1, 1, 1, 2,
  ]);
  stop();
  expect(await pass(4)).toBe(2);
  expect(clock.advanceToNext()).toBe(false);
});
