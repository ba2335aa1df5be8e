import { expect, test } from 'bun:test';
import { keptFor } from './cache-by-object.ts';

test('a value is created once for each object and not shared', () => {
  let made = 0;
  const numberOf = keptFor((_key: object) => {
    made += 1;
    return made;
  });
  const [one, other] = [{}, {}];
  expect([numberOf(one), numberOf(one), numberOf(other), numberOf(one)]).toEqual([1, 1, 2, 1]);
});
