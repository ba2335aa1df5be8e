import { afterAll, beforeAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lacks } from '../../../test/harness/lacks.ts';
import { until } from '../../../test/harness/until.ts';
import { createLaunch } from './launch.ts';

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-launch-'));
  fs.writeFileSync(path.join(directory, 'tool'), '#!/bin/sh\nexit "$1"\n', { mode: 0o755 });
  fs.writeFileSync(path.join(directory, 'text'), 'no program');
});
afterAll(() => fs.rmSync(directory, { recursive: true }));

const noShell = lacks('shell');
const options = { env: { PATH: '/usr/bin:/bin' }, cwd: '/', momentMs: 60_000 };

test.skipIf(noShell)('programs are found on the PATH, and in the default places', () => {
  const launch = createLaunch(`relative::${directory}`, ['/usr/bin', '/bin']);
  expect(launch.find('tool')).toBe(path.join(directory, 'tool'));
  expect(launch.find('text')).toBeNull();
  expect(launch.find('no-such-program')).toBeNull();
  expect(createLaunch(null, ['/usr/bin', '/bin']).find('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
});

test('where programs have an ending, it need not be named', () => {
  const program = path.join(directory, 'named.exe');
  fs.writeFileSync(program, '', { mode: 0o755 });
  const launch = createLaunch(directory, [], '.exe');
  expect([launch.find('named'), launch.find('named.exe')]).toEqual([program, program]);
  expect([createLaunch(directory, []).find('named'), launch.find('text')]).toEqual([null, null]);
});

test.skipIf(noShell)('a program that ends early returns its exit code', async () => {
  const { start } = createLaunch(null, ['/usr/bin', '/bin']);
  expect(await start(path.join(directory, 'tool'), ['3'], options)).toBe(3);
  expect(await start(path.join(directory, 'tool'), ['0'], options)).toBe(0);
});

test.skipIf(noShell)('a program that keeps running is not awaited, and has its own session', async () => {
  const file = path.join(directory, 'pid');
  const script = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1000`;
  expect(
    await createLaunch(null, ['/usr/bin', '/bin']).start('/bin/sh', ['-c', script], { ...options, momentMs: 100 }),
  ).toBeNull();
  await until(() => fs.existsSync(file), 'it has started');
  const pid = Number(fs.readFileSync(file, 'utf8'));
  const [, , group, session] = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  expect([group, session]).toEqual([String(pid), String(pid)]);
  process.kill(pid, 'SIGKILL');
});

test('a program that cannot be started rejects', async () => {
  const { start } = createLaunch(null, ['/usr/bin', '/bin']);
  await expect(start('/nonexistent/program', [], options)).rejects.toThrow('ENOENT');
  await expect(start('sh', [], options)).rejects.toThrow('absolute path');
  await expect(start('/bin/sh', ['a\0b'], options)).rejects.toThrow('NUL');
});
