import { expect, test } from 'bun:test';
import { createPlaces } from './places.ts';

test('a token gets half of the places, and some remain for the next ones', () => {
  const places = createPlaces(8, 'full');
  const taken = (tokenId: string) =>
    Array.from({ length: 8 }, () => places.take(tokenId)).filter((one) => one !== null);
  expect(['a', 'b', 'c', 'd', 'e'].map((tokenId) => taken(tokenId).length)).toEqual([4, 2, 1, 1, 0]);
});

test('several places are given and freed together', () => {
  const places = createPlaces(8, 'full');
  const free = places.take('a', 4);
  expect(places.take('a')).toBeNull();
  expect(places.take('b', 3)).toBeNull();
  free?.();
  expect(places.take('b', 4)).not.toBeNull();
});

test('a place is free again after the work, however it ended', async () => {
  const places = createPlaces(2, 'Too much of it; try again', 7);
  const { promise, reject } = Promise.withResolvers<void>();
  const first = places.run('a', () => promise);
  const refused = { code: 'rate_limited', message: 'Too much of it; try again', retryAfterSeconds: 7 };
  await expect(places.run('a', async () => {})).rejects.toMatchObject(refused);
  expect(await places.run('b', async () => 'done')).toBe('done');
  reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  expect(await places.run('a', async () => 'done')).toBe('done');
});
