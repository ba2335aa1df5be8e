import { expect, test } from 'bun:test';
import { objectSent, uniqueKeys } from './entities.ts';

const keysOf = (...names: string[]) => uniqueKeys(names, (name) => name).map(([key]) => key);

test('names become keys without special characters of topics and templates', () => {
  const names = ['a/b', '+', '#', '$SYS', '{{ x }}', 'ü', '../../..', 'A\u0000B', 'x'.repeat(300)];
  for (const key of keysOf(...names)) expect(key).toMatch(/^[a-z0-9_]{1,70}$/);
});

test('keys are unique, also where a name resembles a numbered one', () => {
  expect(keysOf('A', 'a', 'a!')).toEqual(['a', 'a_2', 'a_3']);
  expect(keysOf('a 2', 'a', 'A')).toEqual(['a_2', 'a', 'a_3']);
});

test('an object in a text that controls an entity has the limits of a request', () => {
  expect(objectSent('{"action":"PLAY"}')).toEqual({ action: 'PLAY' });
  expect(objectSent(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toBeNull();
  expect(objectSent(`{"a":[${'0,'.repeat(10_000)}0]}`)).toBeNull();
});
