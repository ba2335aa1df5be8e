import { expect, test } from 'bun:test';
// @ts-expect-error: a script of Node without types
import { packageFormats, wantedPackages } from '../scripts/package-formats.mjs';

const linux = ['linux-x64', 'linux-arm64'];

test('without options every package is made', () => {
  expect(wantedPackages([], 'x64')).toEqual({
    formats: packageFormats,
    targets: [...linux, 'windows-x64', 'windows-arm64'],
  });
});

test.each([
  [['--format', 'deb'], ['deb'], ['linux-x64']],
  [['--format=deb', '--format', 'rpm,arch'], ['deb', 'rpm', 'arch'], ['linux-x64']],
  [
    ['--format', 'deb,zip', '--only', 'linux-arm64,windows-x64'],
    ['deb', 'zip'],
    ['linux-arm64', 'windows-x64'],
  ],
  [['--format', 'deb', '--only', 'linux-x64,windows-x64'], ['deb'], ['linux-x64']],
])('%j', (args, formats, targets) => {
  expect(wantedPackages(args, 'x64')).toEqual({ formats, targets });
});

test.each([
  [['--format', 'dmg'], '--format must be one or more of deb, rpm, arch, tar.gz, zip, exe, msi'],
  [['--format'], '--format must be one or more of'],
  [['--only', 'mac'], '--only must be one or more of linux-x64'],
  [['--format', 'zip', '--only', 'linux-x64'], 'there is no zip for linux-x64'],
])('%j is wrong usage', (args, sentence) => {
  expect(wantedPackages(args, 'x64')).toContain(sentence);
});
