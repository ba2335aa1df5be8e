import { expect, test } from 'bun:test';
import { createEnvironment } from './environment.ts';

test('an empty variable is unset', () => {
  const { variable } = createEnvironment({ EMPTY: '', SET: 'x' });
  expect([variable('EMPTY'), variable('SET'), variable('ABSENT')]).toEqual([null, 'x', null]);
});
