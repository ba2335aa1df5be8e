import { expect, test } from 'bun:test';
import { createWindowsContained } from './windows-contained.ts';

/** What each drive is, as Windows numbers it. */
const drives: Record<string, number> = { 'd:\\': 3, 'e:\\': 2, 'n:\\': 4, 'r:\\': 5, 's:\\': 6, 'x:\\': 1 };

function contained(systemDrive: string | null = 'C:') {
  const asked: string[] = [];
  const made = createWindowsContained({
    isOurs: () => false,
    systemDrive,
    kernel32: async () => ({ driveType: (root) => drives[root] ?? 0 }),
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
  return { asked, find: made.find };
}

test('the drive of Windows itself is asked at once', () => {
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
])('files of %s are looked for by: %s', async (base, by) => {
  const { asked, find } = contained();
  await find(base, 'a.mp3');
  expect(asked).toEqual([`${by}: ${base} a.mp3`]);
});

test('where it is not known which drive is the one of Windows, none is', async () => {
  const { asked, find } = contained(null);
  await find('C:\\Music', 'a.mp3');
  expect(asked).toEqual(['c:\\: C:\\Music a.mp3']);
});

test('what leaves its directory is looked for by nobody', () => {
  const { asked, find } = contained();
  expect(find('\\\\nas\\media', '..')).toBe('escapes');
  expect(asked).toEqual([]);
});
