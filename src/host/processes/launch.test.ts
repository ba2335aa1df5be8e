import { afterAll, beforeAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lacks } from '../../../test/harness/lacks.ts';
import { until } from '../../../test/harness/until.ts';
import { currentPlatform } from '../../lib/platform.ts';
import { createLaunch } from './launch.ts';

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-launch-'));
  fs.writeFileSync(path.join(directory, 'tool'), '#!/bin/sh\nexit "$1"\n', { mode: 0o755 });
  fs.writeFileSync(path.join(directory, 'text'), 'no program');
});
afterAll(() => fs.rmSync(directory, { recursive: true }));

const noShell = lacks('shell');
const safe = () => null;
const options = { env: { PATH: '/usr/bin:/bin' }, cwd: '/', momentMs: 60_000 };

test.skipIf(noShell)('programs are found on the PATH, and in the default places', () => {
  const launch = createLaunch(`relative::${directory}`, ['/usr/bin', '/bin'], safe);
  expect(launch.find('tool')).toBe(path.join(directory, 'tool'));
  expect(launch.find('text')).toBeNull();
  expect(launch.find('no-such-program')).toBeNull();
  expect(createLaunch(null, ['/usr/bin', '/bin'], safe).find('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
});

test.skipIf(currentPlatform !== 'linux')(
  'a copy that other users can replace is passed over, with one sentence for the log',
  async () => {
    const { exposureOf } = await import('../linux/storage/exposure.ts');
    const places = ['open', 'own'].map((name) => path.join(directory, name));
    const programs = places.map((place) => path.join(place, 'player'));
    for (const [index, place] of places.entries()) {
      fs.mkdirSync(place, { mode: 0o700 });
      fs.writeFileSync(programs[index] ?? '', '', { mode: 0o755 });
    }
    const [open = '', own = ''] = places;
    const launch = createLaunch(places.join(':'), [], exposureOf);
    const sentences: string[] = [];
    launch.onRefused((sentence) => void sentences.push(sentence));
    expect([launch.find('player'), launch.searchPath()]).toEqual([programs[0] ?? '', `${open}:${own}`]);
    fs.chmodSync(open, 0o777);
    for (let time = 0; time < 2; time++) expect(launch.find('player')).toBe(programs[1] ?? '');
    expect(sentences).toEqual([
      `programs: ${programs[0]} is not used, because other users can change it: any user may write to ${open}, in which it lies. Check it, then run "chmod go-w ${open}"`,
    ]);
    expect([launch.searchPath(), sentences.length]).toEqual([own, 2]);
    fs.chmodSync(programs[1] ?? '', 0o777);
    expect(launch.find('player')).toBeNull();
    fs.chmodSync(open, 0o700);
    expect(launch.find('player')).toBe(programs[0] ?? '');
  },
);

test('where programs have an ending, it need not be named', () => {
  const program = path.join(directory, 'named.exe');
  fs.writeFileSync(program, '', { mode: 0o755 });
  const launch = createLaunch(directory, [], safe, '.exe');
  expect([launch.find('named'), launch.find('named.exe')]).toEqual([program, program]);
  expect([createLaunch(directory, [], safe).find('named'), launch.find('text')]).toEqual([null, null]);
});

test.skipIf(noShell)('a program that ends early returns its exit code', async () => {
  const { start } = createLaunch(null, ['/usr/bin', '/bin'], safe);
  expect(await start(path.join(directory, 'tool'), ['3'], options)).toBe(3);
  expect(await start(path.join(directory, 'tool'), ['0'], options)).toBe(0);
});

test.skipIf(noShell)('a program that keeps running is not awaited, and has its own session', async () => {
  const file = path.join(directory, 'pid');
  const script = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1000`;
  expect(
    await createLaunch(null, ['/usr/bin', '/bin'], safe).start('/bin/sh', ['-c', script], {
      ...options,
      momentMs: 100,
    }),
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
  const { start } = createLaunch(null, ['/usr/bin', '/bin'], safe);
  await expect(start('/nonexistent/program', [], options)).rejects.toThrow('ENOENT');
  await expect(start('sh', [], options)).rejects.toThrow('absolute path');
  await expect(start('/bin/sh', ['a\0b'], options)).rejects.toThrow('NUL');
});
