import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { until } from '../../test/harness/until.ts';
import { watchDirectory } from './watch-directory.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-watch-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

const create = (name: string) => {
  fs.writeFileSync(path.join(directory, name), '');
  fs.rmSync(path.join(directory, name));
};

test('a flood of events ends the watch for a second, and is reported once', async () => {
  const clock = fakeClock();
  const names: (string | null)[] = [];
  const stop = watchDirectory(directory, clock, (name) => void names.push(name));
  create('first');
  await until(() => names.includes('first'), 'the first name is reported');
  for (let count = 0; count < 2000; count++) create(`X${count % 7}`);
  await until(() => clock.advanceToNext(), 'the watch is closed and opened again');
  expect(names.indexOf(null)).toBe(100);
  names.length = 0;
  create('last');
  await until(() => names.includes('last'), 'a later name is reported');
  stop();
  expect(clock.advanceToNext()).toBe(false);
});

test('a directory that does not exist cannot be watched', () => {
  expect(() => watchDirectory(path.join(directory, 'none'), fakeClock(), () => {})).toThrow('ENOENT');
});
