import { expect, test } from 'bun:test';
import { exposureOfFacts } from './exposure.ts';

const me = 1000;
const fields = (text: string) => text.split(' ').map((line) => line.split(':'));
const accounts = {
  groups: fields(
    'root:x:0: audio:x:29:eve games:x:60: staff:x:50:eve users:x:100:anna,eve anna:x:1000: shared:x:1001:eve alone:x:1002:anna,root',
  ),
  users: fields('root:x:0:0 anna:x:1000:1000 eve:x:1001:1001 gamer:x:1003:60 system:x:5:0'),
};

test.each([
  ['a file of its owner', 0o755, 1001, 'file', false],
  ['a file of the private group of this user', 0o775, 1000, 'file', false],
  ['a file of a group with this user and root alone', 0o775, 1002, 'file', false],
  ['a file of the group root', 0o775, 0, 'file', false],
  ['a file of the group of another user', 0o775, 1001, 'file', true],
  ['a file of a system group with another member', 0o775, 29, 'file', true],
  ['a file of a system group that is the first group of another user', 0o775, 60, 'file', true],
  ['a file of the group users', 0o775, 100, 'file', true],
  ['a file of a group that is not in the account files', 0o775, 1234, 'file', true],
  ['a directory of the group staff', 0o2775, 50, 'directory', true],
  ['a file that all users may write to', 0o757, 1000, 'file', true],
  ['a directory that all users may write to', 0o777, 0, 'directory', true],
  ['a sticky directory', 0o1777, 0, 'directory', false],
  ['a sticky file', 0o1757, 0, 'file', true],
] as const)('whether other users can change a file: %s', (_what, mode, group, kind, expected) => {
  for (const user of [0, me]) {
    const exposure = exposureOfFacts({ realPath: '/opt/it', mode, user, group, kind }, me, accounts);
    expect(exposure?.fix).toBe(expected ? 'chmod go-w /opt/it' : undefined);
  }
});

test('a private group that another user was added to is not private, even if its number is that of the user', () => {
  const facts = { realPath: '/opt/it', mode: 0o775, user: me, group: me, kind: 'file' as const };
  for (const text of ['anna:x:1000:eve', 'anna:x:1000: alias:x:1000:eve'])
    expect(exposureOfFacts(facts, me, { ...accounts, groups: fields(text) })).not.toBeNull();
});

test.each([
  ['/usr/local/bin', true],
  ['/usr/local', true],
  ['/usr/locally', false],
  ['/opt/usr/local/bin', false],
])("Debian's group staff, whatever its members, in %s: %p", (realPath, isTrusted) => {
  const facts = { realPath, mode: 0o2775, user: 0, group: 50, kind: 'directory' as const };
  expect(exposureOfFacts(facts, me, accounts) === null).toBe(isTrusted);
  // Elsewhere the number 50 is another group.
  expect(exposureOfFacts(facts, me, { ...accounts, groups: fields('ftp:x:50:eve') })).not.toBeNull();
});

test.each([
  ['file', 0o755],
  ['directory', 0o755],
  ['directory', 0o1777],
] as const)('a %s of another user is exposed, sticky or not', (kind, mode) => {
  const facts = { realPath: '/opt/it', mode, user: 54_321, group: 0, kind };
  expect(exposureOfFacts(facts, 54_322)).toEqual({
    problem: '/opt/it belongs to 54321',
    fix: 'sudo chown -h 54322 /opt/it',
  });
});
