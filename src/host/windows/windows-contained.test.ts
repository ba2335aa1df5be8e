import { expect, test } from 'bun:test';
import path from 'node:path';
import { createWindowsContained, plainTarget, readLinkOnly } from './windows-contained.ts';

/** The type of each drive, by the numbers of Windows. */
const drives: Record<string, number> = { 'd:\\': 3, 'e:\\': 2, 'n:\\': 4, 'r:\\': 5, 's:\\': 6, 'x:\\': 1 };

function contained(systemDrive: string | null = 'C:', links: Record<string, string> = {}) {
  const asked: string[] = [];
  const accessed: string[] = [];
  const made = createWindowsContained({
    isOurs: () => false,
    systemDrive,
    accounts: async () => ({ ownSid: () => null, descriptor: () => null }),
    kernel32: async () => ({ driveType: (root) => drives[root] ?? 0 }),
    readLink(file) {
      accessed.push(file);
      if (file.endsWith('nothing')) return undefined;
      return links[file.toLowerCase()] ?? null;
    },
    here: (base, relative) => {
      asked.push(`here: ${base} ${relative}`);
      return 'missing';
    },
    elsewhere: {
      async find(mount, base, relative) {
        asked.push(`${mount}: ${base} ${relative}`);
        return 'missing';
      },
    },
  });
  return { asked, accessed, find: made.find, mayHang: made.mayHang };
}

test('the system drive is accessed synchronously', () => {
  const { asked, find } = contained();
  expect(find('C:\\Users\\ada\\Music', 'a.mp3')).toBe('missing');
  expect(find('c:/Users/ada', 'a.mp3')).toBe('missing');
  expect(asked).toHaveLength(2);
  expect(asked.every((line) => line.startsWith('here: '))).toBeTrue();
});

test.each([
  ['D:\\Music', 'here'],
  ['E:\\', 'here'],
  ['S:\\Music', 'here'],
  ['N:\\Music', 'n:\\'],
  ['R:\\', 'r:\\'],
  ['X:\\gone', 'x:\\'],
  ['Y:\\', 'y:\\'],
  ['\\\\nas\\media\\Music', '\\\\nas\\media\\'],
  ['\\\\NAS\\Media', '\\\\nas\\media\\'],
])('files of %s are accessed by: %s', async (base, by) => {
  const { asked, find } = contained();
  await find(base, 'a.mp3');
  expect(asked).toEqual([`${by}: ${base} a.mp3`]);
});

test('if the system drive is unknown, no drive is accessed synchronously', async () => {
  const { asked, find } = contained(null);
  await find('C:\\Music', 'a.mp3');
  expect(asked).toEqual(['c:\\: C:\\Music a.mp3']);
});

test('a path that leaves its directory is not accessed', () => {
  const { asked, find } = contained();
  expect(find('\\\\nas\\media', '..')).toBe('escapes');
  expect(asked).toEqual([]);
});

test.each([
  // A junction to a network drive, a link to a share, and a directory of the user that is such a link.
  ['C:\\Users\\ada\\Music', 'nas/a.mp3', { 'c:\\users\\ada\\music\\nas': 'N:\\Music' }, 'n:\\'],
  ['C:\\Users\\ada\\Music', 'a.mp3', { 'c:\\users\\ada\\music': '\\\\NAS\\Media\\Music' }, '\\\\nas\\media\\'],
  ['C:\\Users\\ada\\Music', 'a.mp3', { 'c:\\users\\ada\\music\\a.mp3': '\\\\nas\\media\\a.mp3' }, '\\\\nas\\media\\'],
  // Chained, over a local drive, and relative ones.
  ['C:\\Music', 'a.mp3', { 'c:\\music': 'D:\\Music', 'd:\\music': 'N:\\Music' }, 'n:\\'],
  ['C:\\Music', 'b/a.mp3', { 'c:\\music\\b': '..\\far', 'c:\\far': '\\\\nas\\media' }, '\\\\nas\\media\\'],
  ['C:\\Music', 'b/a.mp3', { 'c:\\music\\b': '\\far', 'c:\\far': '\\\\nas\\media' }, '\\\\nas\\media\\'],
  // Targets without a path.
  ['C:\\Music', 'a.mp3', { 'c:\\music': '\\\\?\\GLOBALROOT\\Device\\Mup\\nas' }, '\\\\?\\globalroot\\device\\mup\\nas'],
  // Local, dangling and circular links.
  ['C:\\Music', 'a.mp3', { 'c:\\music': 'D:\\Music' }, 'here'],
  ['C:\\Music', 'a.mp3', { 'c:\\music': '..\\Audio' }, 'here'],
  ['C:\\Music', 'a.mp3', { 'c:\\music': 'C:\\Music' }, 'here'],
] as const)('files of %s, %s with the links %p are accessed by: %s', async (base, relative, links, by) => {
  const { asked, accessed, find } = contained('C:', links);
  const file = relative.replaceAll('/', path.sep);
  await find(base, file);
  expect(asked).toEqual([`${by}: ${base} ${file}`]);
  // Links are not read on drives that may hang.
  expect(accessed.filter((place) => !/^[cd]:/i.test(place))).toEqual([]);
});

test('links on the system drive or to a share are read without loading a library', () => {
  const links = { 'c:\\music\\far': '\\\\nas\\media', 'c:\\music\\near': 'C:\\Audio' };
  const { asked, find } = contained('C:', links);
  expect(find('C:\\Music', 'near')).toBe('missing');
  expect(find('C:\\Music', 'far')).toBeInstanceOf(Promise);
  expect(asked).toEqual(['here: C:\\Music near', '\\\\nas\\media\\: C:\\Music far']);
});

test('a file may hang where its drive may, or a link on the way to it leads to one', () => {
  const { mayHang } = contained('C:', { 'c:\\music': '\\\\nas\\media' });
  const files = ['C:\\Audio\\a.mp3', 'C:\\Music\\a.mp3', '\\\\nas\\media\\a.mp3', 'N:\\a.mp3', 'X:\\a.mp3'];
  expect(files.map(mayHang)).toEqual([false, true, true, true, true]);
});

test('nothing is read below a missing directory, however long the path is', () => {
  const { asked, accessed, find } = contained();
  const deep = ['nothing', ...Array<string>(1000).fill('a')].join(path.sep);
  find('C:\\Music', deep);
  expect(accessed.map((place) => place.toLowerCase())).toEqual(['c:\\music', 'c:\\music\\nothing']);
  expect(asked).toEqual([`here: C:\\Music ${deep}`]);
});

test('a directory is not a link, and a missing file is undefined', () => {
  expect(readLinkOnly(import.meta.dirname)).toBeNull();
  expect(readLinkOnly(path.join(import.meta.dirname, 'no-such-file'))).toBeUndefined();
});

test.each([
  ['C:\\Music', 'C:\\Music'],
  ['..\\Music', '..\\Music'],
  ['../Music', '..\\Music'],
  ['\\\\nas\\media', '\\\\nas\\media'],
  ['\\??\\N:\\Music', 'N:\\Music'],
  ['\\\\?\\N:\\Music', 'N:\\Music'],
  ['\\??\\UNC\\nas\\media', '\\\\nas\\media'],
  ['\\\\?\\unc\\nas\\media', '\\\\nas\\media'],
  ['\\\\?\\Volume{00000000-0000-0000-0000-000000000043}\\', null],
  ['\\??\\GLOBALROOT\\Device\\Mup\\nas', '\\\\?\\GLOBALROOT\\Device\\Mup\\nas'],
])('a link to %j leads to %j', (target, plain) => {
  expect(plainTarget(target)).toBe(plain);
});
