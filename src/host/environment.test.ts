import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { lacks } from '../../test/harness/lacks.ts';
import { createEnvironment } from './environment.ts';

test.skipIf(lacks('shell'))('the machine is called what the kernel calls it', () => {
  const { stdout } = spawnSync('uname', ['-m'], { encoding: 'utf8' });
  expect(createEnvironment({}).machine).toBe(stdout.trim());
});

test('an empty variable is none', () => {
  const { variable } = createEnvironment({ EMPTY: '', SET: 'x' });
  expect([variable('EMPTY'), variable('SET'), variable('ABSENT')]).toEqual([null, 'x', null]);
});
