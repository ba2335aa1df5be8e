import { expect, test } from 'bun:test';
import { isTrustedAccount, otherUser, otherWriter } from './trusted-accounts.ts';

test.each([
  // As an administrator creates them in %ProgramData%.
  ['O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)', null],
  ['O:SYD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;WD)', null],
  ['O:BAD:PAI(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;BU)', null],
  ['O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:P(A;;FA;;;SY)', null],
  ['O:BAD:(A;;FA;;;BA)(A;;CCSWWPLORC;;;BU)', null],
  // A deny entry grants nothing.
  ['O:BAD:P(D;;FA;;;BU)(A;;FA;;;BA)', null],
  // As users create them there, and with rights for others.
  ['O:S-1-5-21-1-2-3-1001D:AI(A;ID;FA;;;SY)', 'S-1-5-21-1-2-3-1001'],
  ['O:BAD:AI(A;ID;FA;;;SY)(A;;0x1301bf;;;BU)', 'BU'],
  ['O:BAD:AI(A;ID;FA;;;SY)(A;;FW;;;AU)', 'AU'],
  ['O:BAD:(A;;DCLCRPCR;;;WD)', 'WD'],
  ['O:BAD:(A;;FRSD;;;S-1-5-21-1-2-3-1001)', 'S-1-5-21-1-2-3-1001'],
  ['O:BAD:(A;;WO;;;BU)', 'BU'],
  ['O:BAD:(A;;0x40000;;;BU)', 'BU'],
  ['O:BA', 'WD'],
  ['O:BAD:NO_ACCESS_CONTROL', 'WD'],
  ['', 'an unknown owner'],
])('with the rights %s the account besides administrators that may make changes is %p', (sddl, writer) => {
  expect(otherWriter(sddl)).toBe(writer);
});

test('only the system, administrators and our own account are trusted', () => {
  expect(['S-1-5-18', 'S-1-5-32-544', 'S-1-5-21-9'].map((sid) => isTrustedAccount(sid, 'S-1-5-21-9'))).toEqual([
    true,
    true,
    true,
  ]);
  expect(isTrustedAccount('S-1-5-21-8', 'S-1-5-21-9')).toBe(false);
  expect(isTrustedAccount('S-1-5-21-8')).toBe(false);
});

const own = 'S-1-5-21-1-2-3-1001';
test.each([
  // As we create it, and as everything in a profile is.
  [`O:${own}D:P(A;OICI;FA;;;${own})(A;OICI;FA;;;SY)`, null, null],
  [`O:${own}D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${own})(A;;FA;;;OW)`, null, null],
  // The default for directories in C:\\.
  [
    `O:${own}D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)`,
    'AU',
    'BU',
  ],
  // No other account may change the directory, but others may change new files in it.
  [`O:${own}D:P(A;OICI;FA;;;${own})(A;OICIIO;GA;;;BU)`, 'BU', 'BU'],
  [`O:${own}D:P(A;;FA;;;${own})(A;;FR;;;S-1-5-21-1-2-3-1002)`, null, 'S-1-5-21-1-2-3-1002'],
  [`O:S-1-5-21-1-2-3-1002D:P(A;;FA;;;${own})`, 'S-1-5-21-1-2-3-1002', 'S-1-5-21-1-2-3-1002'],
  // A disk without rights, such as one with FAT.
  [`O:${own}D:NO_ACCESS_CONTROL`, 'WD', 'WD'],
])(
  'with the rights %s on our own file, the account that may change it is %p, and that may use it %p',
  (sddl, writer, user) => {
    expect([otherWriter(sddl, own), otherUser(sddl, own)]).toEqual([writer, user]);
  },
);
