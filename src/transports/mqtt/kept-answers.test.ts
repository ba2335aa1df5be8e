import { expect, test } from 'bun:test';
import { createKeptAnswers } from './kept-answers.ts';

const mebibyte = 1024 * 1024;

function setUp() {
  const answers = createKeptAnswers();
  const made: string[] = [];
  const get = (key: string, length: number) =>
    answers.get(key, async () => {
      made.push(key);
      return 'x'.repeat(length);
    });
  return { get, made };
}

test('an answer is made once, also while it is being made', async () => {
  const { get, made } = setUp();
  await Promise.all([get('a', 3), get('a', 3)]);
  expect(await get('a', 3)).toBe('xxx');
  expect(made).toEqual(['a']);
});

test('large answers push the oldest out, and no more is kept than 2 MiB', async () => {
  const { get, made } = setUp();
  for (const key of ['a', 'b', 'c']) await get(key, mebibyte);
  for (const key of ['b', 'c', 'a']) await get(key, mebibyte);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});

test('small answers are kept up to 200', async () => {
  const { get, made } = setUp();
  for (let n = 0; n <= 200; n++) await get(String(n), 10);
  await get('1', 10);
  expect(made.length).toBe(201);
  await get('0', 10);
  expect(made.length).toBe(202);
});
