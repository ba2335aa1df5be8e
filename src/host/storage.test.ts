import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lacks } from '../../test/harness/lacks.ts';
import { makeNamedPipe } from '../../test/harness/named-pipe.ts';
import { currentPlatform } from '../lib/platform.ts';
import { createStorage } from './storage.ts';

const storage = createStorage(() => null);
let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-storage-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true }));

const noModes = lacks('modes');
/** Passes on systems without permission bits. */
const expectMode = (file: string, mode: number) => noModes || expect(fs.statSync(file).mode & 0o777).toBe(mode);

describe('reading from the storage', () => {
  // Each of them would take all memory, or wait for ever.
  const endless: [string, (file: string) => void][] = [
    ['a directory', (file) => fs.mkdirSync(file)],
    ['a link to a device', (file) => fs.symlinkSync('/dev/zero', file)],
    ['a pipe', makeNamedPipe],
  ];
  test.each(currentPlatform === 'windows' ? [] : endless)('%s is refused by its name, at once', (what, make) => {
    const file = path.join(directory, what);
    make(file);
    expect(() => storage.read(file)).toThrow(`${file} is not a file`);
    fs.rmSync(file, { recursive: true });
  });

  test('a file above the maximum size is refused', () => {
    const file = path.join(directory, 'long');
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 64 * 1024 * 1024 + 1);
    expect(() => storage.read(file)).toThrow(`${file} is larger than 64 MiB`);
    fs.rmSync(file);
  });

  // Only root can give a file to another user.
  test.skipIf(process.getuid?.() !== 0)('one of another user is refused if it must be ours, also by a link', () => {
    const file = path.join(directory, 'foreign');
    fs.writeFileSync(`${file}-to`, 'x');
    fs.symlinkSync(`${file}-to`, file);
    expect(storage.read(file, { owned: true })).toBe('x');
    fs.chownSync(`${file}-to`, 54_321, 0);
    expect(() => storage.read(file, { owned: true })).toThrow(`${file} belongs to another user (54321)`);
    expect(storage.read(file)).toBe('x');
    fs.rmSync(file);
    fs.rmSync(`${file}-to`);
  });

  test.skipIf(lacks('links'))('a link to a file is read', () => {
    const file = path.join(directory, 'linked');
    fs.writeFileSync(`${file}-to`, 'x');
    fs.symlinkSync(`${file}-to`, file);
    expect(storage.read(file)).toBe('x');
    fs.rmSync(file);
    fs.rmSync(`${file}-to`);
  });
});

describe('writing to the storage', () => {
  test('a file is readable by its owner only, whatever the umask, and no temporary file stays', () => {
    const file = path.join(directory, 'secret');
    const before = process.umask(0);
    try {
      storage.write(file, 'one');
      storage.write(file, 'two');
    } finally {
      process.umask(before);
    }
    expect(storage.read(file)).toBe('two');
    expectMode(file, 0o600);
    expect(fs.readdirSync(directory).filter((name) => name.startsWith('secret'))).toEqual(['secret']);
  });

  test('a failed write leaves the old file and no temporary file', () => {
    const busy = path.join(directory, 'busy');
    fs.mkdirSync(path.join(busy, 'inside'), { recursive: true });
    expect(() => storage.write(busy, 'x')).toThrow();
    expect(fs.readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test.skipIf(noModes)('a file for a secret that others may read is exposed', async () => {
    const file = path.join(directory, 'headers');
    fs.writeFileSync(file, 'X: y', { mode: 0o640 });
    expect(await storage.secretExposure(file)).toEqual({ problem: 'its mode is 640', fix: `chmod 600 ${file}` });
    fs.chmodSync(file, 0o600);
    expect(await storage.secretExposure(file)).toBeNull();
  });

  test('a directory is created for its owner only; the permissions of an existing one are unchanged', () => {
    const open = path.join(directory, 'open');
    fs.mkdirSync(open);
    fs.chmodSync(open, 0o1777);
    storage.prepareDirectory(open);
    if (!noModes) expect(fs.statSync(open).mode & 0o7777).toBe(0o1777);
    storage.prepareDirectory(path.join(open, 'deep', 'deeper'));
    expect(fs.existsSync(path.join(open, 'deep', 'deeper'))).toBe(true);
    expectMode(path.join(open, 'deep', 'deeper'), 0o700);
  });

  test.skipIf(lacks('links'))('a link to a file stays a link', () => {
    const target = path.join(directory, 'dotfiles.json');
    const link = path.join(directory, 'linked.json');
    fs.writeFileSync(target, 'old');
    fs.symlinkSync(target, link);
    storage.write(link, 'new');
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(target, 'utf8')).toBe('new');
  });
});

test('an append-only file is for its owner only, and is rotated before it becomes too long', () => {
  const file = path.join(directory, 'grows');
  storage.append(file, 'one', 10);
  storage.append(file, 'two', 10);
  expect(storage.read(file)).toBe('one\ntwo\n');
  expectMode(file, 0o600);
  storage.append(file, 'three', 10);
  expect(storage.read(file)).toBe('three\n');
  expect(storage.read(`${file}.1`)).toBe('one\ntwo\n');
});

test('a rotation passes the discarded content to the heading, which may return a first line', () => {
  const file = path.join(directory, 'heads');
  const gone: string[] = [];
  const heading = (text: string) => {
    gone.push(text);
    return 'head';
  };
  for (const line of ['one', 'two', 'three']) storage.append(file, line, 6, heading);
  expect(gone).toEqual(['one\n']);
  expect(storage.read(`${file}.1`)).toBe('two\n');
  expect(storage.read(file)).toBe('head\nthree\n');
});

test('a missing file is null, also below a path that is a file', () => {
  expect(storage.read(path.join(directory, 'nothing'))).toBeNull();
  expect(storage.read(path.join(directory, 'secret', 'below'))).toBeNull();
  expect(storage.signature(path.join(directory, 'nothing'))).toBeNull();
});

test('the signature changes with every write', () => {
  const file = path.join(directory, 'signed');
  const seen = new Set<string | null>();
  for (const text of ['a', 'b', 'c']) {
    storage.write(file, text);
    seen.add(storage.signature(file));
  }
  expect(seen.size).toBe(3);
});

describe('locking the storage', () => {
  test('the lock is released, also after an error', () => {
    const file = path.join(directory, 'locked');
    expect(storage.locked(file, () => fs.existsSync(`${file}.lock`))).toBe(true);
    expect(() =>
      storage.locked(file, () => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  });

  test('a lock whose owner died long ago is taken over', () => {
    const file = path.join(directory, 'stale');
    fs.writeFileSync(`${file}.lock`, '');
    fs.utimesSync(`${file}.lock`, new Date(0), new Date(0));
    expect(storage.locked(file, () => 'done')).toBe('done');
  });

  test('a held lock is awaited, and then reported', () => {
    const file = path.join(directory, 'held');
    fs.writeFileSync(`${file}.lock`, '');
    expect(() => storage.locked(file, () => 'done')).toThrow('is held by another process');
  });
});

test('a change in a watched directory is announced, until the watch is stopped', async () => {
  const watched = path.join(directory, 'watched');
  fs.mkdirSync(watched);
  const first = Promise.withResolvers<void>();
  let announced = 0;
  const stop = storage.watch(watched, () => {
    announced += 1;
    first.resolve();
  });
  storage.write(path.join(watched, 'file'), 'x');
  await first.promise;
  stop();
  const announcedBeforeStop = announced;
  // A second watch shows when the next change would have been announced to the first one as well.
  const second = Promise.withResolvers<void>();
  const stopSecond = storage.watch(watched, (name) => {
    if (name === 'later') second.resolve();
  });
  fs.writeFileSync(path.join(watched, 'later'), 'x');
  await second.promise;
  stopSecond();
  expect(announced).toBe(announcedBeforeStop);
});
