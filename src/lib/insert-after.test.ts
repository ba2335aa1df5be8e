import { expect, test } from 'bun:test';
import { insertAfter } from './insert-after.ts';

test('an added name follows the name it asks for, in whatever order they are declared', () => {
  const added = [
    { name: 'c', after: 'b' },
    { name: 'b', after: 'a' },
    { name: 'z', after: undefined },
  ];
  expect(insertAfter(['a', 'd'], added)).toEqual(['a', 'b', 'c', 'd', 'z']);
});

test('an unknown predecessor and a second declaration are errors', () => {
  expect(() => insertAfter(['a'], [{ name: 'b', after: 'x' }])).toThrow('b follows x, which does not exist');
  expect(() => insertAfter(['a'], [{ name: 'a', after: undefined }])).toThrow('a is declared twice');
});
