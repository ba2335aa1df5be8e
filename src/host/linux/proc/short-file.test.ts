import { afterAll, beforeAll, expect, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { countOpenFiles } from '../../../../test/harness/open-files.ts';
import { createShortFiles } from './short-file.ts';

const buffer = new Uint8Array(4096);
const textOf = (length: number | null) => (length === null ? null : Buffer.from(buffer.subarray(0, length)).toString());

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-short-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(directory, name);
  fs.writeFileSync(file, text);
  return file;
}

test('every read is from the beginning', () => {
  const file = write('a', 'one');
  const short = createShortFiles()(file);
  expect(textOf(short.read(buffer))).toBe('one');
  fs.writeFileSync(file, 'other');
  expect(textOf(short.read(buffer))).toBe('other');
  short.close();
  expect(textOf(short.read(buffer))).toBe('other');
  short.close();
});

test('a missing file is null until it exists', () => {
  const file = path.join(directory, 'later');
  const short = createShortFiles()(file);
  expect(short.read(buffer)).toBeNull();
  fs.writeFileSync(file, 'here');
  expect(textOf(short.read(buffer))).toBe('here');
  short.close();
});

test('at most half of the descriptors stay open, and the other files are still read', () => {
  const open = createShortFiles(() => 7);
  const files = Array.from({ length: 10 }, (_, index) => open(write(`many-${index}`, String(index))));
  for (let round = 0; round < 3; round += 1) {
    expect(files.map((file) => textOf(file.read(buffer)))).toEqual([...'0123456789']);
    expect(countOpenFiles(directory)).toBe(3);
  }
  files[0]?.close();
  files[0]?.close();
  files[9]?.read(buffer);
  expect(countOpenFiles(directory)).toBe(3);
  for (const file of files) file.close();
  expect(countOpenFiles(directory)).toBe(0);
});

test('the file of an ended process is null, and its descriptor is closed', async () => {
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  const file = `/proc/${child.pid}/stat`;
  const short = createShortFiles()(file);
  expect(textOf(short.read(buffer))).toStartWith(`${child.pid} (`);
  expect(countOpenFiles(file)).toBe(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(short.read(buffer)).toBeNull();
  expect(countOpenFiles(file)).toBe(0);
});

test('started programs do not inherit the open descriptors', () => {
  const file = write('private', 'x');
  const short = createShortFiles()(file);
  short.read(buffer);
  const { stdout } = spawnSync('/bin/ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });
  expect(stdout).toContain('/fd');
  expect(stdout).not.toContain(file);
  short.close();
});
