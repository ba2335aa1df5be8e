import { expect, test } from 'bun:test';
import { parseOsRelease } from './os-release.ts';

test('values are plain, quoted, or escaped, and comments are skipped', () => {
  const text =
    '# comment\nNAME="Debian GNU/Linux"\nID=debian\nVERSION=\'12 (x)\'\nODD="a \\"b\\" \\$c"\n\nbroken line\nEMPTY=\n';
  expect(Object.fromEntries(parseOsRelease(text))).toEqual({
    NAME: 'Debian GNU/Linux',
    ID: 'debian',
    VERSION: '12 (x)',
    ODD: 'a "b" $c',
    EMPTY: '',
  });
});
