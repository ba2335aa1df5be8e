import { expect, test } from 'bun:test';
import { together } from './together.ts';

const join = ([a, b]: readonly [number, string]) => `${a}${b}`;

test('what is there is used at once, and what is waited for when it has come', async () => {
  expect(together<[number, string], string>([1, 'a'], join)).toBe('1a');
  const waiting = together<[number, string], string>([1, Promise.resolve('b')], join);
  expect(waiting).toBeInstanceOf(Promise);
  expect(await waiting).toBe('1b');
});

test('what fails fails together', async () => {
  expect(together<[number, string], string>([1, Promise.reject(new Error('gone'))], join)).rejects.toThrow('gone');
});
