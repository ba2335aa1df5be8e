import { expect, test } from 'bun:test';
import { isExposedLinux } from './exposed.ts';

const own = { user: 1000, group: 1000 };

test.each([
  ['a file of its owner', 0o755, 1000, 'file', false],
  ['a file of a private group', 0o775, 1000, 'file', false],
  ['a file of another group', 0o775, 1001, 'file', true],
  ['a file of the group users', 0o775, 100, 'file', true],
  ['a directory of the group staff', 0o2775, 50, 'directory', false],
  ['a file that everybody may write to', 0o757, 1000, 'file', true],
  ['a directory that everybody may write to', 0o777, 0, 'directory', true],
  ['a sticky directory', 0o1777, 0, 'directory', false],
  ['a sticky file', 0o1757, 0, 'file', true],
] as const)('%s', (_what, mode, group, kind, expected) => {
  expect(isExposedLinux({ mode, group, kind }, own)).toBe(expected);
});

test('the group of a user whose ids differ is not private', () => {
  expect(isExposedLinux({ mode: 0o775, group: 1001, kind: 'file' }, { user: 1000, group: 1001 })).toBe(true);
});
