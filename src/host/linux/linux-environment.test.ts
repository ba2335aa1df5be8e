import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createLinuxEnvironment } from './linux-environment.ts';

test('the machine is called what the kernel calls it, which on arm64 is not what the runtime calls it', () => {
  const { stdout } = spawnSync('uname', ['-m'], { encoding: 'utf8' });
  expect(createLinuxEnvironment({}).machine).toBe(stdout.trim());
});
