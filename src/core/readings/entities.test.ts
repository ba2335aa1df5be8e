import { expect, test } from 'bun:test';
import { uniqueKeys } from './entities.ts';

const keysOf = (...names: string[]) => uniqueKeys(names, (name) => name).map(([key]) => key);

test('names become keys without special characters of topics and templates', () => {
  const names = ['a/b', '+', '#', '$SYS', '{{ x }}', 'ü', '../../..', 'A\u0000B', 'x'.repeat(300)];
  for (const key of keysOf(...names)) expect(key).toMatch(/^[a-z0-9_]{1,70}$/);
});

test('keys are unique, also where a name resembles a numbered one', () => {
  expect(keysOf('A', 'a', 'a!')).toEqual(['a', 'a_2', 'a_3']);
  expect(keysOf('a 2', 'a', 'A')).toEqual(['a_2', 'a', 'a_3']);
});
