import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createPairs } from './sample-pair.ts';

function counter() {
  const clock = fakeClock();
  const pairs = createPairs(clock, () => clock.monotonic());
  const taken = async () => {
    const pending = Promise.resolve(pairs());
    clock.advance(100);
    return await pending;
  };
  return { clock, pairs, taken };
}

test('the first pair is taken 100 ms apart', async () => {
  const { taken } = counter();
  expect(await taken()).toEqual({ before: 0, after: 100, seconds: 0.1 });
});

test('a last sample of up to 35 s is used at once, an older one is not', async () => {
  const { clock, pairs, taken } = counter();
  await taken();
  clock.advance(35_000);
  const direct = pairs();
  expect(direct).toEqual({ before: 100, after: 35_100, seconds: 35 });
  clock.advance(35_001);
  expect(await taken()).toEqual({ before: 70_101, after: 70_201, seconds: 0.1 });
});

test('two reads at the same time do not divide by zero', async () => {
  const { clock, pairs, taken } = counter();
  await taken();
  const soon = Promise.resolve(pairs());
  clock.advance(100);
  expect(await soon).toEqual({ before: 100, after: 200, seconds: 0.1 });
});
