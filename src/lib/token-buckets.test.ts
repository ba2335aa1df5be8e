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

test('a charge may exceed what is left, and then the next one waits longer', () => {
  const { charge, refuse } = createBuckets({ burst: 2, perSecond: 1 }, () => 0);
  charge('a', 10);
  expect(refuse('a')).toBe(9);
});
