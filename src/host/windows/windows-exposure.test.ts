import { expect, test } from 'bun:test';
import { windowsExposure } from './windows-exposure.ts';

const own = 'S-1-5-21-1-2-3-1001';
const full = '(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)';
/** As Windows 11 creates them. */
const rights: Record<string, string> = {
  'C:\\': `O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:PAI${full}(A;OICI;0x1200a9;;;BU)(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)`,
  'C:\\Tools': `O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)`,
  'C:\\ProgramData': `O:SYD:PAI${full}(A;OICI;0x1200a9;;;BU)(A;CI;DCLCRPCR;;;BU)`,
  'D:\\': `O:BAD:${full}(A;;0x1301bf;;;AU)(A;OICIIO;SDGXGWGR;;;AU)`,
  'D:\\open': `O:${own}D:P${full}(A;OICI;FA;;;${own})(A;;0x40;;;AU)`,
  'C:\\own': `O:${own}D:P${full}(A;OICI;FA;;;${own})`,
};
const accounts = { ownSid: () => own, descriptor: (place: string) => rights[place] ?? null };
const of = (place: string, isAbove: boolean) => windowsExposure(accounts, { place, isDirectory: true, isAbove });

test.each([
  ['C:\\', false],
  ['C:\\ProgramData', false],
  ['D:\\', false],
  ['C:\\own', false],
  ['C:\\Tools', true],
  ['D:\\open', true],
])('above the directory of a program, %s lets others replace it: %p', (place, isExposed) => {
  expect(of(place, true) !== null).toBe(isExposed);
});

test.each([
  ['C:\\Tools', true],
  ['C:\\ProgramData', true],
  ['C:\\', true],
  ['C:\\own', false],
])('a program in %s can be changed by others: %p', (place, isExposed) => {
  expect(of(place, false) !== null).toBe(isExposed);
});

test('permissions that cannot be read count as foreign, except above the directory of a program of Windows', () => {
  for (const isAbove of [false, true])
    expect(of('E:\\nowhere', isAbove)?.problem).toBe('other users (an unknown owner) may change E:\\nowhere');
  expect(of('C:\\Program Files\\WindowsApps', false)).not.toBeNull();
  expect(of('C:\\Program Files\\WindowsApps', true)).toBeNull();
  expect(of('c:\\windows\\hidden', true)).toBeNull();
  expect(of('C:\\Windows.old', true)).not.toBeNull();
});

test('the command that removes the rights of others fits a file', () => {
  const file = windowsExposure(accounts, { place: 'C:\\Tools', isDirectory: false, isAbove: false });
  expect(file?.fix).toBe(`icacls "C:\\Tools" /inheritance:r /grant:r *${own}:F *S-1-5-18:F *S-1-5-32-544:F`);
});
