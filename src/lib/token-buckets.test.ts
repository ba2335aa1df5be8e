import { expect, test } from 'bun:test';
import { createBuckets } from './token-buckets.ts';

test('each key has its own burst and refill rate', () => {
  let now = 0;
  const { refuse, has } = createBuckets({ burst: 2, perSecond: 0.5 }, () => now);
  expect([refuse('a'), refuse('a'), refuse('a')]).toEqual([null, null, 2]);
  expect(refuse('b')).toBeNull();
  expect([has('a'), has('b'), has('b')]).toEqual([false, true, true]);
  now += 1000;
  expect(refuse('a')).toBe(1);
  now += 1000;
  expect([refuse('a'), refuse('a')]).toEqual([null, 2]);
});

test('a bucket never exceeds its capacity', () => {
  let now = 0;
  const { refuse } = createBuckets({ burst: 2, perSecond: 1 }, () => now);
  refuse('a');
  now += 3_600_000;
  expect([refuse('a'), refuse('a'), refuse('a')]).toEqual([null, null, 1]);
});

test('several are taken together, or none', () => {
  const { refuse } = createBuckets({ burst: 3, perSecond: 1 }, () => 0);
  expect([refuse('a', 2), refuse('a', 2), refuse('a')]).toEqual([null, 1, null]);
});
