import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { compareAlpmVersions } from './alpm-version.ts';
import { compareDebianVersions } from './debian-version.ts';

const debian = [
  ...['1.0', '1.0-0', '1.0-1', '1.0~rc1-1', '1.0~~', '1.0~', '1.0a', '1.0+b1', '1.0.1', '1.00', '1:0.1', '0:1.0'],
  ...['2.36-9+deb12u4', '2.36-9', '2.36-9+deb12u13', '1.0-1+b6', '1.0-1.1', '1.0-1~bpo12+1', '20250419~deb12u2'],
  ...[
    '1.0-',
    '0',
    '00',
    '',
    '1a',
    '1-a',
    '1.2.3-alpha-1',
    '99999999999999999999',
    '99999999999999999998',
    '1.0-1ubuntu2',
  ],
];

const pairs = (versions: readonly string[]) => versions.flatMap((a) => versions.map((b): [string, string] => [a, b]));
const sign = (number: number) => Math.sign(number) + 0;

test.each([
  ['1.0~rc1', '1.0', -1],
  ['1.0', '1.0-0', 0],
  ['1.0-9', '1.0-10', -1],
  ['1:0.1', '9.9', 1],
  ['1.0+b1', '1.0a', 1],
  ['99999999999999999998', '99999999999999999999', -1],
])('Debian: %s beside %s', (a, b, expected) => {
  expect(sign(compareDebianVersions(a, b))).toBe(expected);
  expect(sign(compareDebianVersions(b, a))).toBe(0 - expected);
});

test.each([
  ['1.0a', '1.0', -1],
  ['1.0beta', '1.0.1', -1],
  ['1.0-1', '1.0-2', -1],
  ['1.0', '1.0-2', 0],
  ['1:0.1-1', '9.9-1', 1],
  ['5.2.026-2', '5.2.26-2', 0],
])('Arch: %s beside %s', (a, b, expected) => {
  expect(sign(compareAlpmVersions(a, b))).toBe(expected);
  expect(sign(compareAlpmVersions(b, a))).toBe(0 - expected);
});

test.skipIf(!fs.existsSync('/usr/bin/dpkg'))('every pair is ordered as dpkg orders it', () => {
  const usable = debian.filter(
    (version) => spawnSync('/usr/bin/dpkg', ['--validate-version', version], { stdio: 'ignore' }).status === 0,
  );
  expect(usable.length).toBeGreaterThan(20);
  const wrong = pairs(usable).filter(([a, b]) => {
    const order = sign(compareDebianVersions(a, b));
    const relation = order < 0 ? 'lt' : order > 0 ? 'gt' : 'eq';
    return spawnSync('/usr/bin/dpkg', ['--compare-versions', a, relation, b]).status !== 0;
  });
  expect(wrong).toEqual([]);
});
