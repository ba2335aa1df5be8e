// Not on Windows: links, pipes and permission bits are those of Unix; test/real lists files under Wine.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeActionContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { makeNamedPipe } from '../../../test/harness/named-pipe.ts';
import { actionFor, perform } from '../../../test/harness/perform.ts';
import { until } from '../../../test/harness/until.ts';
import { createClock } from '../../host/clock.ts';
import { defaultSettings } from '../index.ts';
import { toPermissions } from './files.entry.ts';
import { createListings } from './files.list.ts';
import { filesActions } from './files.ts';

let directory: string;
let home: string;
const changed = new Date('2026-02-03T04:05:06.000Z');

beforeAll(() => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-files-')));
  home = path.join(directory, 'ann');
  const outside = path.join(directory, 'outside');
  for (const name of ['Music/album', 'Documents', 'empty', '.config']) {
    fs.mkdirSync(path.join(home, name), { recursive: true, mode: 0o755 });
  }
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, 'secret.mp3'), 'a secret of twenty-one');
  const write = (name: string, text: string, mode = 0o644) => {
    fs.writeFileSync(path.join(home, name), text, { mode });
    fs.chmodSync(path.join(home, name), mode);
    fs.utimesSync(path.join(home, name), changed, changed);
  };
  write('Music/b.MP3', 'song');
  write('Music/a.weird', '12');
  write('Music/ünï.flac', 'x');
  write('Music/noextension', '', 0o600);
  write('Documents/run.sh', '#!/bin/sh', 0o755);
  const links = {
    'Music/in.mp3': 'b.MP3',
    'Music/folder': 'album',
    'Music/out.mp3': path.join(outside, 'secret.mp3'),
    'Music/nowhere': 'nothing',
    Pictures: outside,
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(home, name));
  makeNamedPipe(path.join(home, 'Documents', 'pipe.txt'));
});
afterAll(() => fs.rmSync(directory, { recursive: true }));

const directories = () => [{ name: 'Films', path: path.join(directory, 'outside') }];
const call = (event: string, input: unknown): Promise<unknown> => {
  const host = fakeHost({ contained: realContained(), storage: memoryStorage(), environment: { home } });
  const settings = () => ({ ...defaultSettings, media: { directories: directories() } });
  return perform(actionFor(filesActions, event), input, fakeActionContext(host, { settings }).context);
};
const list = async (base: string, inner?: string) =>
  (await actionList(base, inner)).map(({ name, isDirectory, permissions }) => [name, isDirectory, permissions]);
const actionList = async (base: string, inner?: string) => {
  const entries = await call('GET_FILES', inner === undefined ? { base } : { base, path: inner });
  if (!Array.isArray(entries)) throw new Error('the files are not a list');
  return entries;
};

describe('base directories', () => {
  test('existing directories are listed with their keys, home first', async () => {
    expect(await call('GET_DIRECTORIES', {})).toEqual([
      { key: 'home', name: 'Home', path: home },
      { key: 'documents', name: 'Documents', path: path.join(home, 'Documents') },
      { key: 'music', name: 'Music', path: path.join(home, 'Music') },
      { key: 'pictures', name: 'Pictures', path: path.join(home, 'Pictures') },
      { key: 'Films', name: 'Films', path: path.join(directory, 'outside') },
    ]);
  });

  test('a directory is found by its key', async () => {
    expect(await call('GET_DIRECTORY', { base: 'music' })).toEqual({
      key: 'music',
      name: 'Music',
      path: path.join(home, 'Music'),
    });
  });

  test.each([
    [{ base: 'nowhere' }, 'invalid', 'BAD_DIRECTORY'],
    [{ base: 'Music' }, 'invalid', 'BAD_DIRECTORY'],
    [{ base: '' }, 'invalid', 'BAD_DIRECTORY'],
    [{ base: 'videos' }, 'not_found', 'BAD_DIRECTORY'],
    [{}, 'invalid', 'MISSING_BASE'],
    [{ base: 7 }, 'invalid', null],
  ])('%j is refused: %s %s', async (input, code, subtype) => {
    await expect(call('GET_DIRECTORY', input)).rejects.toMatchObject({ code, subtype });
  });

  test.each([
    ['~', true],
    ['~/Music', true],
    ['Music', true],
    ['/', true],
    ['/no/such/place', false],
    ['~/Music/b.MP3', false],
    ['~/Pictures', true],
    ['', false],
    ['a\0b', false],
  ])('%j is valid: %p', async (given, valid) => {
    expect(await call('VALIDATE_DIRECTORY', { path: given })).toEqual({ valid });
  });

  test('VALIDATE_DIRECTORY needs a path', async () => {
    await expect(call('VALIDATE_DIRECTORY', {})).rejects.toMatchObject({ subtype: 'MISSING_PATH' });
  });
});

describe('the files of a directory', () => {
  test('are listed by name, with all fields', async () => {
    const entries = await actionList('music');
    expect(entries.map(({ name }) => name)).toEqual([
      'a.weird',
      'album',
      'b.MP3',
      'folder',
      'in.mp3',
      'noextension',
      'nowhere',
      'out.mp3',
      'ünï.flac',
    ]);
    const modTime = '2026-02-03T04:05:06.000Z';
    const known = { isDirectory: false, modTime, permissions: '-rw-r--r--' };
    const at = (name: string) => ({ name, path: path.join(home, 'Music', name) });
    expect(entries).toContainEqual({
      ...at('b.MP3'),
      ...known,
      size: 4,
      contentType: 'audio/mpeg',
      extension: '.MP3',
    });
    expect(entries).toContainEqual({ ...at('a.weird'), ...known, size: 2, extension: '.weird' });
    expect(entries).toContainEqual({ ...at('noextension'), ...known, size: 0, permissions: '-rw-------' });
    expect(entries).toContainEqual({
      ...at('ünï.flac'),
      ...known,
      size: 1,
      contentType: 'audio/flac',
      extension: '.flac',
    });
  });

  test('a link to a target inside the base has the facts of the target', async () => {
    const listed = await list('music');
    expect(listed).toContainEqual(['in.mp3', false, '-rw-r--r--']);
    expect(listed).toContainEqual(['folder', true, 'drwxr-xr-x']);
    const inside = (await actionList('music')).find(({ name }) => name === 'in.mp3');
    expect(inside).toMatchObject({ size: 4, contentType: 'audio/mpeg' });
  });

  test('a link out of the base, or to nothing, reveals nothing about its target', async () => {
    const out = (await actionList('music')).find(({ name }) => name === 'out.mp3');
    expect(out).toMatchObject({ isDirectory: false, permissions: 'lrwxrwxrwx', extension: '.mp3' });
    expect(out.size).not.toBe(fs.statSync(path.join(directory, 'outside', 'secret.mp3')).size);
    expect(out).not.toHaveProperty('contentType');
    expect(await list('music')).toContainEqual(['nowhere', false, 'lrwxrwxrwx']);
    expect(await list('home')).toContainEqual(['Pictures', false, 'lrwxrwxrwx']);
  });

  test('a base that is a link is followed, and pipes are listed without opening them', async () => {
    expect(await list('pictures')).toEqual([['secret.mp3', false, '-rw-r--r--']]);
    expect(await list('documents')).toEqual([
      ['pipe.txt', false, expect.stringMatching(/^prw/)],
      ['run.sh', false, '-rwxr-xr-x'],
    ]);
  });

  test('paths inside are relative to the base, with or without dots', async () => {
    expect(await list('home', 'empty')).toEqual([]);
    expect(await list('home', './Music/../empty/')).toEqual([]);
    expect(await list('home', '')).toEqual(await list('home'));
    expect(await list('home', 'Music/folder')).toEqual([]);
  });

  test.each([
    [{ base: 'music', path: '..' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: '../Documents' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: '/etc' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'home', path: 'Pictures' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: 'a\0b' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: 'nothing' }, 'not_found', 'BAD_DIRECTORY'],
    [{ base: 'music', path: 'b.MP3' }, 'invalid', 'BAD_DIRECTORY'],
    [{ base: 'videos' }, 'not_found', 'BAD_DIRECTORY'],
    [{ base: 'nowhere' }, 'invalid', 'BAD_DIRECTORY'],
    [{ path: 'x' }, 'invalid', 'MISSING_BASE'],
    [{ base: 'music', path: 'x'.repeat(8193) }, 'invalid', null],
    [{ base: 'music', path: ['x'] }, 'invalid', null],
  ])('%j is refused: %s %s', async (input, code, subtype) => {
    await expect(call('GET_FILES', input)).rejects.toMatchObject({ code, subtype });
  });

  test('a mount that hangs is queried separately and listed as a directory', async () => {
    const local = realContained();
    const contained: typeof local = {
      isOurs: () => false,
      mayHang: () => false,
      async find(base, name) {
        if (name === 'nas') return 'silent';
        const entry = await local.find(base, name);
        if (typeof entry === 'string') return entry;
        const entries = () => [{ name: 'nas', kind: 'elsewhere' as const, size: 0, modifiedMs: 0, mode: 0 }];
        return { ...entry, list: async () => ({ count: 1, entries }) };
      },
    };
    const host = fakeHost({ contained, storage: memoryStorage(), environment: { home } });
    const { context } = fakeActionContext(host);
    expect(await perform(actionFor(filesActions, 'GET_FILES'), { base: 'home' }, context)).toEqual([
      {
        name: 'nas',
        path: path.join(home, 'nas'),
        size: 0,
        isDirectory: true,
        modTime: '1970-01-01T00:00:00.000Z',
        permissions: 'd---------',
      },
    ]);
  });
});

const budget = { inAll: 32, perCaller: 8 };
const requester = (signal = new AbortController().signal) => ({ tokenId: 'main', signal });

test('concurrent requests share one read of a long directory, which stops when all are aborted', async () => {
  const many = path.join(directory, 'names');
  fs.mkdirSync(many);
  for (let index = 0; index < 2000; index++) fs.writeFileSync(path.join(many, String(index)), '');
  const clock = createClock();
  const real = realContained();
  const read = { names: 0, batches: 0 };
  /** Reads wait for it. */
  let barrier = Promise.resolve();
  const contained: typeof real = {
    ...real,
    async find(base, name) {
      const entry = await real.find(base, name);
      if (typeof entry === 'string') return entry;
      return {
        ...entry,
        async list() {
          read.names += 1;
          const listing = await entry.list();
          if (typeof listing === 'string') return listing;
          return {
            ...listing,
            async entries(start, end) {
              read.batches += 1;
              await barrier;
              return await listing.entries(start, end);
            },
          };
        },
      };
    },
  };
  const listings = createListings({ contained, clock }, budget);
  const base = { key: 'names', name: 'Names', path: many };
  const request = (given = '.', signal?: AbortSignal) => listings.of(base, given, () => null, requester(signal));
  const all = await Promise.all(Array.from({ length: 300 }, () => request()));
  expect(new Set(all.map(({ entries }) => entries)).size).toBe(1);
  // Once to find out that it is long, once as a long listing.
  expect(read.names).toBe(2);
  expect(read.batches).toBe(2000 / 125);
  const gone = new AbortController();
  const held = Promise.withResolvers<void>();
  barrier = held.promise;
  const requests = Array.from({ length: 8 }, (_, index) => request(`${'./'.repeat(index)}.`, gone.signal));
  await until(() => read.batches > 2000 / 125, 'the second reading began');
  gone.abort(new Error('gone'));
  held.resolve();
  const before = read.batches;
  expect((await Promise.allSettled(requests)).every(({ status }) => status === 'rejected')).toBe(true);
  await request();
  expect(read.batches).toBeLessThanOrEqual(before + 1 + 2000 / 125);
});

test('ten thousand files are sorted without blocking the event loop', async () => {
  const many = path.join(directory, 'many');
  fs.mkdirSync(many);
  const names = Array.from({ length: 10_000 }, (_, index) => `${(index * 7919) % 10_000}.txt`);
  for (const name of names) fs.writeFileSync(path.join(many, name), '');
  let ticks = 0;
  const count = setInterval(() => {
    ticks += 1;
  }, 1);
  const clock = createClock();
  const listings = createListings({ contained: realContained(), clock }, budget);
  const base = { key: 'many', name: 'Many', path: many };
  const both = await Promise.all([
    listings.of(base, '.', () => null, requester()),
    listings.of(base, '.', () => null, requester()),
  ]);
  clearInterval(count);
  for (const { entries, message } of both) {
    expect(entries.map(({ name }) => name)).toEqual(names.toSorted());
    expect(message).toBe('');
  }
  expect(ticks).toBeGreaterThan(10);
});

describe('the description of a file', () => {
  const song = () => ({
    name: 'b.MP3',
    path: path.join(home, 'Music', 'b.MP3'),
    size: 4,
    isDirectory: false,
    modTime: '2026-02-03T04:05:06.000Z',
    modified: changed.getTime(),
    permissions: '-rw-r--r--',
    contentType: 'audio/mpeg',
    mime_type: 'audio/mpeg',
    extension: '.MP3',
  });

  test('has the field names of all clients', async () => {
    expect(await call('GET_FILE', { base: 'music', path: 'b.MP3' })).toEqual(song());
    expect(await call('GET_FILE', { base: 'home', path: 'Music/./b.MP3' })).toEqual(song());
  });

  test('can be named by an absolute path inside a known base, with or without the base', async () => {
    const file = path.join(home, 'Music', 'b.MP3');
    expect(await call('GET_FILE', { path: file })).toEqual(song());
    expect(await call('GET_FILE', { base: 'home', path: file })).toEqual(song());
    expect(await call('GET_FILE', { path: '~/Music/b.MP3' })).toEqual(song());
    expect(await call('GET_FILE', { path: path.join(directory, 'outside', 'secret.mp3') })).toMatchObject({
      name: 'secret.mp3',
    });
  });

  test('without a known type has null', async () => {
    const { contentType, ...file } = song();
    expect(await call('GET_FILE', { base: 'music', path: 'a.weird' })).toEqual({
      ...file,
      name: 'a.weird',
      path: path.join(home, 'Music', 'a.weird'),
      size: 2,
      mime_type: null,
      extension: '.weird',
    });
  });

  test.each([
    [{ base: 'music' }, 'invalid', 'MISSING_PATH'],
    [{ path: 'b.MP3' }, 'invalid', 'MISSING_BASE'],
    [{ base: 'nowhere', path: 'b.MP3' }, 'invalid', 'BAD_DIRECTORY'],
    [{ base: 'music', path: 'nothing.mp3' }, 'not_found', 'BAD_FILE'],
    [{ base: 'music', path: 'album' }, 'invalid', 'BAD_FILE'],
    [{ base: 'music', path: '' }, 'invalid', 'BAD_FILE'],
    [{ base: 'documents', path: 'pipe.txt' }, 'invalid', 'BAD_FILE'],
    [{ base: 'music', path: '../Documents/run.sh' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: 'out.mp3' }, 'forbidden', 'BAD_PATH'],
    [{ base: 'music', path: '/etc/passwd' }, 'forbidden', 'BAD_PATH'],
    [{ path: '/etc/passwd' }, 'forbidden', 'BAD_PATH'],
    [{ path: '/no/such/file' }, 'forbidden', 'BAD_PATH'],
  ])('%j is refused: %s %s', async (input, code, subtype) => {
    await expect(call('GET_FILE', input)).rejects.toMatchObject({ code, subtype });
  });

  test('outside the named base is refused', async () => {
    await expect(
      call('GET_FILE', { base: 'music', path: path.join(home, 'Documents', 'run.sh') }),
    ).rejects.toMatchObject({ code: 'forbidden', subtype: 'BAD_PATH' });
  });
});

test.each([
  [0o100644, '-rw-r--r--'],
  [0o040755, 'drwxr-xr-x'],
  [0o120777, 'lrwxrwxrwx'],
  [0o104755, '-rwsr-xr-x'],
  [0o104644, '-rwSr--r--'],
  [0o102755, '-rwxr-sr-x'],
  [0o041777, 'drwxrwxrwt'],
  [0o041776, 'drwxrwxrwT'],
  [0o010600, 'prw-------'],
  [0o140755, 'srwxr-xr-x'],
  [0o020620, 'crw--w----'],
  [0o060660, 'brw-rw----'],
])('the mode %o is shown as %s', (mode, text) => {
  expect(toPermissions(mode)).toBe(text);
});
