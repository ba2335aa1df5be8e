import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createBreaks, inSlices } from './slices.ts';

test('work that is short is done at once', () => {
  const clock = fakeClock();
  function* work() {
    for (let round = 0; round < 5; round += 1) yield;
    return 'done';
  }
  expect(inSlices(clock, work())).toBe('done');
});

test('long work yields to other tasks', async () => {
  const clock = fakeClock();
  const order: string[] = [];
  function* work() {
    for (let round = 0; round < 4; round += 1) {
      clock.advance(1);
      order.push(`work ${round}`);
      yield;
    }
    return order.length;
  }
  const working = inSlices(clock, work());
  expect(working).toBeInstanceOf(Promise);
  order.push('other');
  while (clock.advanceToNext()) order.push('other');
  expect(order).toEqual(['work 0', 'work 1', 'other', 'work 2', 'work 3', 'other', 'other']);
  expect(await working).toBe(6);
});

test('an error in a later slice rejects', async () => {
  const clock = fakeClock();
  // biome-ignore lint/correctness/useYield: it fails before it gets there
  function* fails(): Generator<void, never> {
    throw new Error('broken');
  }
  function* work() {
    clock.advance(2);
    yield;
    return yield* fails();
  }
  const working = inSlices(clock, work());
  clock.advanceToNext();
  await expect(working).rejects.toThrow('broken');
});

test('a break is due when the slice is over, and yields to other tasks', async () => {
  const clock = fakeClock();
  const breaks = createBreaks(clock, 4);
  expect(breaks.isDue()).toBeFalse();
  clock.advance(4);
  expect(breaks.isDue()).toBeTrue();
  const taken = breaks.take();
  expect(clock.advanceToNext()).toBeTrue();
  await taken;
  expect(breaks.isDue()).toBeFalse();
});
