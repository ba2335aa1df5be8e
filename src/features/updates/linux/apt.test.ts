import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { parseSecured, parseSimulation, parseTargets, readApt } from './apt.ts';

test('a simulation: new packages, removals and downgrades are not updates', () => {
  const text = `The following packages will be DOWNGRADED:
  pinned-back other:i386
3 upgraded, 1 newly installed, 2 downgraded, 1 to remove and 0 not upgraded.
Remv old [1.0]
Inst plain [1.0-1] (1.0-2 Vendor (test):stable, Debian:12.5/stable [amd64]) [plain:amd64 ]
Inst new (1.0 Debian:12.5/stable [amd64])
Inst pinned-back [2.0] (1.0 Debian:12.5/stable [amd64])
Inst other:i386 [2.0] (1.0 Debian:12.5/stable [i386])
Inst ubuntu [1] (2 Ubuntu:22.04/jammy-updates, Ubuntu:22.04/jammy-security [all]) []
Conf plain (1.0-2 Debian:12.5/stable [amd64])
`;
  expect(parseSimulation(text)).toEqual([
    {
      name: 'plain',
      current: '1.0-1',
      candidate: '1.0-2',
      security: false,
      origin: 'Vendor (test):stable, Debian:12.5/stable',
      architecture: 'amd64',
    },
    {
      name: 'ubuntu',
      current: '1',
      candidate: '2',
      security: true,
      origin: 'Ubuntu:22.04/jammy-updates, Ubuntu:22.04/jammy-security',
      architecture: 'all',
    },
  ]);
});

const table = (name: string, candidate: string, versions: [version: string, archive: string][]) =>
  `${name}:\n  Installed: 1\n  Candidate: ${candidate}\n  Version table:\n${versions
    .map(([version, archive]) => {
      const mark = version === '1' ? ' ***' : '    ';
      return `${mark} ${version} 500\n        500 http://deb.example.org/debian ${archive}/main amd64 Packages\n`;
    })
    .join('')}`;

test('a version table: security updates between the installed version and the candidate count', () => {
  const security = 'bookworm-security';
  const text = [
    table('superseded', '3', [
      ['3', 'bookworm'],
      ['2', security],
      ['1', 'bookworm'],
    ]),
    table('had-it', '3', [
      ['3', 'bookworm'],
      ['1', security],
      ['0', security],
    ]),
    table('not-wanted', '3', [
      ['4', security],
      ['3', 'bookworm'],
      ['1', 'bookworm'],
    ]),
    table('foreign:i386', '2', [
      ['2', security],
      ['1', 'bookworm'],
    ]),
  ].join('');
  expect([...parseSecured(text)]).toEqual(['superseded', 'foreign:i386']);
});

test('archives are named by origin and codename, which point releases do not change', () => {
  const text =
    'Debian\t12.5\tstable\tDebian\tbookworm\nBackports\t$(VERSION)\tstable-backports\tDebian\tbookworm-backports\n$(LABEL)\t$(VERSION)\t$(SUITE)\t\t\n';
  expect(Object.fromEntries(parseTargets(text))).toEqual({
    'Debian:12.5/stable': 'Debian:bookworm/stable',
    'Backports:stable-backports': 'Debian:bookworm-backports/stable-backports',
  });
});

test('without package lists apt is not run', async () => {
  const { root } = machineFiles({ '/var/lib/dpkg/status': '', '/var/lib/apt/lists/lock': '' });
  const run = async () => {
    throw new Error('apt was asked');
  };
  expect(await readApt({ roots: { all: root }, home: '/root', uid: 0, run })).toMatchObject({
    updates: 0,
    checkedAtMs: null,
    problem: expect.stringContaining('apt update'),
  });
});

test('the log of changes is read when it is asked for', async () => {
  const { root } = machineFiles({ '/var/lib/dpkg/status': '', '/var/lib/apt/lists/lock': '' });
  const run = async () => {
    throw new Error('apt was asked');
  };
  const state = await readApt({ roots: { all: root }, home: '/root', uid: 0, run });
  fs.mkdirSync(`${root}/var/log`, { recursive: true });
  fs.writeFileSync(`${root}/var/log/dpkg.log`, '2026-11-18 20:20:58 install b\u0007d:amd64 <none> 1.2\n');
  expect(state?.changes?.()).toMatchObject([{ name: 'b\ufffdd:amd64', from: '', to: '1.2' }]);
});
