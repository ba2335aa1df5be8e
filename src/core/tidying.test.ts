import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createTidying } from './tidying.ts';

test('memory is tidied after many readings, at most every five minutes, and never between question and answer', () => {
  const clock = fakeClock();
  let collected = 0;
  const read = createTidying(clock, () => {
    collected += 1;
  });
  const readMany = (count: number) => {
    for (let turn = 0; turn < count; turn += 1) read();
  };
  readMany(2000);
  clock.advance(1000);
  expect(collected).toBe(0);
  clock.advance(300_000);
  expect(collected).toBe(0);
  read();
  expect(collected).toBe(0);
  clock.advance(1);
  expect(collected).toBe(1);
  clock.advance(300_000);
  readMany(499);
  clock.advance(1);
  expect(collected).toBe(1);
  read();
  clock.advance(1);
  expect(collected).toBe(2);
});
