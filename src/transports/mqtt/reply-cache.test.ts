import { expect, test } from 'bun:test';
import { createReplyCache } from './reply-cache.ts';

const mebibyte = 1024 * 1024;

function setUp() {
  const answers = createReplyCache();
  const made: string[] = [];
  const get = (key: string, length: number) =>
    answers(key, async () => {
      made.push(key);
      return 'x'.repeat(length);
    });
  return { get, made };
}

test('concurrent and later requests with one key run once', async () => {
  const { get, made } = setUp();
  await Promise.all([get('a', 3), get('a', 3)]);
  expect(await get('a', 3)).toBe('xxx');
  expect(made).toEqual(['a']);
});

test('the oldest replies are evicted beyond 2 MiB', async () => {
  const { get, made } = setUp();
  for (const key of ['a', 'b', 'c']) await get(key, mebibyte);
  for (const key of ['b', 'c', 'a']) await get(key, mebibyte);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});

test('at most 200 small replies are cached', async () => {
  const { get, made } = setUp();
  for (let n = 0; n <= 200; n++) await get(String(n), 10);
  await get('1', 10);
  expect(made.length).toBe(201);
  await get('0', 10);
  expect(made.length).toBe(202);
});
