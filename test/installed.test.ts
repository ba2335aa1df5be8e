import { expect, onTestFinished, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const script = path.resolve(import.meta.dirname, '../scripts/installed.mjs');

test.each([
  ['beside a clone', false, 'clone'],
  ['beside a package', true, 'node_modules/hostler'],
  ['above the dependency of a package', true, 'node_modules/other/node_modules/hostler'],
])('a program in a node_modules %s is used: %p', (_where, isUsed, place) => {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-installed-'));
  onTestFinished(() => fs.rmSync(top, { recursive: true }));
  const program = path.join(top, 'node_modules', 'bun', 'bin', 'bun.exe');
  const copy = path.join(top, place, 'scripts', 'installed.mjs');
  for (const file of [program, copy]) fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  fs.copyFileSync(script, copy);
  const code = 'const { bunPath } = await import(process.argv[1]); process.stdout.write(bunPath())';
  const { status, stdout } = spawnSync('node', ['--input-type=module', '-e', code, copy], { encoding: 'utf8' });
  expect([status, stdout]).toEqual(isUsed ? [0, program] : [1, '']);
});
