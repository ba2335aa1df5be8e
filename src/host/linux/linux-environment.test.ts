import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createLinuxEnvironment } from './linux-environment.ts';

test('the architecture has the kernel name, which differs from the runtime name on arm64', () => {
  const { stdout } = spawnSync('uname', ['-m'], { encoding: 'utf8' });
  expect(createLinuxEnvironment({}).machine).toBe(stdout.trim());
});
