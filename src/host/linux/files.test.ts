import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { countOpenFiles } from '../../../test/harness/open-files.ts';
import { createFiles, rootsFrom } from './files.ts';

let root: string;
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-files-'));
  fs.mkdirSync(path.join(root, 'proc'));
  fs.mkdirSync(path.join(root, 'elsewhere'));
  fs.writeFileSync(path.join(root, 'proc', 'stat'), 'cpu 1\n');
  fs.writeFileSync(path.join(root, 'elsewhere', 'stat'), 'cpu 2\n');
  for (const name of ['cpu10', 'cpu2', 'cpu0', 'cpufreq', 'cpu02', 'a'])
    fs.writeFileSync(path.join(root, 'elsewhere', name), '');
  fs.symlinkSync('cpu0', path.join(root, 'elsewhere', 'z-link'));
});
afterAll(() => fs.rmSync(root, { recursive: true }));

describe("roots of the kernel's file systems", () => {
  test('HOSTLER_ROOT moves everything; HOSTLER_PROC moves only /proc and takes precedence', () => {
    expect(createFiles({ all: root }).text('/proc/stat')).toBe('cpu 1\n');
    expect(createFiles({ all: root, proc: path.join(root, 'elsewhere') }).text('/proc/stat')).toBe('cpu 2\n');
    expect(createFiles({ proc: path.join(root, 'elsewhere') }).text('/proc/stat')).toBe('cpu 2\n');
    expect(createFiles({ sys: '/nowhere' }).text(path.join(root, 'proc', 'stat'))).toBe('cpu 1\n');
  });

  test('moved directories are recognised', () => {
    const files = createFiles({ proc: path.join(root, 'elsewhere') });
    expect([files.moved('/proc'), files.moved('/proc/1/stat'), files.moved('/sys')]).toEqual([true, true, false]);
    expect(createFiles({ all: root }).moved('/sys')).toBe(true);
  });

  test('are read from the environment', () => {
    const variables: Record<string, string> = {
      HOSTLER_PROC: '/p',
      HOSTLER_SYS: '/s',
      HOSTLER_DEV: '/d',
      HOSTLER_ETC: '/e',
      HOSTLER_ROOT: '/r',
    };
    expect(rootsFrom((name) => variables[name] ?? null)).toEqual({
      all: '/r',
      proc: '/p',
      sys: '/s',
      dev: '/d',
      etc: '/e',
    });
  });
});

describe("reading the kernel's file systems", () => {
  test('names are in numeric order', () => {
    expect(createFiles({ all: root }).list('/elsewhere')).toEqual([
      'a',
      'cpu0',
      'cpu02',
      'cpu2',
      'cpu10',
      'cpufreq',
      'stat',
      'z-link',
    ]);
  });

  test('a text of any length is complete, and leaves no descriptor open', () => {
    const file = path.join(root, 'elsewhere', 'long');
    for (const length of [0, 1, 8191, 8192, 8193, 100_001]) {
      // A character of two bytes lies across each boundary.
      const text = `x${'é'.repeat(length)}`;
      fs.writeFileSync(file, text);
      expect(createFiles({}).text(file)).toBe(text);
    }
    expect(countOpenFiles(file)).toBe(0);
    fs.rmSync(file);
  });

  test('a missing file is null, empty or false, never an error', async () => {
    const files = createFiles({ all: root });
    expect(files.text('/nothing')).toBeNull();
    expect(files.bytes('/proc')).toBeNull();
    expect(await files.textLater('/nothing')).toBeNull();
    expect(await files.textLater('/proc/stat')).toBe('cpu 1\n');
    expect(files.list('/nothing')).toEqual([]);
    expect(files.link('/proc/stat')).toBeNull();
    expect(files.link('/elsewhere/z-link')).toBe('cpu0');
    expect(files.modified('/nothing')).toBeNull();
    expect(files.exists('/nothing')).toBe(false);
    expect(files.denied('/nothing')).toBe(false);
    expect(files.denied('/proc/stat')).toBe(false);
  });
});

describe('persistent files', () => {
  test('are read again each time, from the beginning, whatever their length', () => {
    const file = path.join(root, 'file');
    fs.writeFileSync(file, 'one');
    const persistent = createFiles({}).keep(file);
    expect(persistent.text()).toBe('one');
    fs.writeFileSync(file, 'x'.repeat(100_000));
    expect(persistent.text()).toHaveLength(100_000);
    fs.writeFileSync(file, '');
    expect(persistent.text()).toBe('');
    persistent.close();
    expect(persistent.text()).toBe('');
    persistent.close();
  });

  test('hold one descriptor, and none when closed', () => {
    const persistent = createFiles({}).keep(path.join(root, 'proc', 'stat'));
    for (let round = 0; round < 10; round += 1) persistent.text();
    expect(countOpenFiles(root)).toBe(1);
    persistent.close();
    expect(countOpenFiles(root)).toBe(0);
  });

  test('that do not exist yet are found later', () => {
    const file = path.join(root, 'later');
    const persistent = createFiles({}).keep(file);
    expect(persistent.text()).toBeNull();
    fs.writeFileSync(file, 'here');
    expect(persistent.text()).toBe('here');
    persistent.close();
  });

  test.each<[string, number | null]>([
    ['42000\n', 42_000],
    ['-12500\n', -12_500],
    ['0', 0],
    ['262143328850\n', 262_143_328_850],
    ['7 of 9\n', 7],
    ['<unknown>\n', null],
    ['12.5\n', null],
    ['-\n', null],
    ['\n', null],
    ['', null],
  ])('%j as a number is %p', (text, expected) => {
    const file = path.join(root, 'number');
    fs.writeFileSync(file, text);
    const persistent = createFiles({}).keep(file);
    expect(persistent.number()).toBe(expected);
    expect(persistent.number()).toBe(expected);
    persistent.close();
  });

  test('as numbers are read again each time, and found when they exist', () => {
    const file = path.join(root, 'later-number');
    const persistent = createFiles({}).keep(file);
    expect(persistent.number()).toBeNull();
    fs.writeFileSync(file, '123456\n');
    expect(persistent.number()).toBe(123_456);
    fs.writeFileSync(file, '7\n');
    expect(persistent.number()).toBe(7);
    persistent.close();
  });

  test('a long table that the kernel returns in pieces is complete', () => {
    const table = fs.existsSync('/proc/kallsyms') ? '/proc/kallsyms' : '/proc/devices';
    const persistent = createFiles({}).keep(table);
    expect(persistent.text() === fs.readFileSync(table, 'latin1')).toBe(true);
    persistent.close();
  });
});
