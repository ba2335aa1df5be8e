import { expect, test } from 'bun:test';
import { firstOfMost } from './fair-share.ts';

const ownerOf = (name: string) => name[0] ?? '';

test('the first entry of the owner with the most entries is chosen', () => {
  expect(firstOfMost(['a1', 'b1', 'b2', 'a2', 'b3'], ownerOf)).toBe('b1');
});

test('with equal shares the first entry is chosen', () => {
  expect(firstOfMost(['a1', 'b1'], ownerOf)).toBe('a1');
  expect(firstOfMost([], ownerOf)).toBeUndefined();
});
