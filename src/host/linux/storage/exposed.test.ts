import { expect, test } from 'bun:test';
import { exposureOfFacts } from './exposed.ts';

const own = { user: 1000, group: 1000 };
const realPath = '/opt/it';

test.each([
  ['a file of its owner', 0o755, 1000, 'file', false],
  ['a file of a private group', 0o775, 1000, 'file', false],
  ['a file of another group', 0o775, 1001, 'file', true],
  ['a file of the group users', 0o775, 100, 'file', true],
  ['a directory of the group staff', 0o2775, 50, 'directory', false],
  ['a world-writable file', 0o757, 1000, 'file', true],
  ['a world-writable directory', 0o777, 0, 'directory', true],
  ['a sticky directory', 0o1777, 0, 'directory', false],
  ['a sticky file', 0o1757, 0, 'file', true],
] as const)('%s', (_what, mode, group, kind, expected) => {
  for (const user of [0, own.user]) {
    const exposure = exposureOfFacts({ realPath, mode, user, group, kind }, own);
    expect(exposure?.fix).toBe(expected ? 'chmod go-w /opt/it' : undefined);
  }
});

test.each([
  ['file', 0o755],
  ['directory', 0o755],
  ['directory', 0o1777],
] as const)('a %s of another user is exposed, sticky or not', (kind, mode) => {
  const facts = { realPath, mode, user: 54_321, group: 0, kind };
  expect(exposureOfFacts(facts, { user: 54_322, group: 54_322 })).toEqual({
    problem: '/opt/it belongs to 54321',
    fix: 'sudo chown -h 54322 /opt/it',
  });
});

test('the group of a user whose ids differ is not private', () => {
  const facts = { realPath, mode: 0o775, user: 1000, group: 1001, kind: 'file' as const };
  expect(exposureOfFacts(facts, { user: 1000, group: 1001 })).not.toBeNull();
});
