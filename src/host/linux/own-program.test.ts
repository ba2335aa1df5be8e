import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ProgramOrigin } from '../own-program.ts';
import { findOwnProgram } from './own-program.ts';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-own-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function machine(...files: string[]): string {
  const root = fs.mkdtempSync(path.join(scratch, 'root-'));
  for (const file of files) fs.mkdirSync(path.join(root, file), { recursive: true });
  return root;
}

const originOf = (program: string, root: string, architecture = 'x64') =>
  findOwnProgram(null, { command: [program], root, architecture }).origin;

const told = (origin: ProgramOrigin) =>
  origin.kind === 'managed' ? [origin.by, origin.command('6.1.0')] : [origin.archive('6.1.0')];

test.each([
  [['var/lib/dpkg/info/hostler.list'], 'x64', ['apt', 'sudo apt install ./hostler_6.1.0-1_amd64.deb']],
  [['var/lib/dpkg/info/hostler.list'], 'arm64', ['apt', 'sudo apt install ./hostler_6.1.0-1_arm64.deb']],
  [['var/lib/pacman/local/hostler-6.0.0-1'], 'x64', ['pacman', 'sudo pacman -U ./hostler-6.1.0-1-x86_64.pkg.tar.zst']],
  [['usr/lib/sysimage/rpm'], 'arm64', ['dnf', 'sudo dnf install ./hostler-6.1.0-1.aarch64.rpm']],
  [['var/lib/rpm', 'usr/bin/zypper'], 'x64', ['zypper', 'sudo zypper install ./hostler-6.1.0-1.x86_64.rpm']],
])('below /usr, with %j on a machine with %s, it is theirs', (files, architecture, expected) => {
  expect(told(originOf('/usr/bin/hostler', machine(...files), architecture))).toEqual(expected);
});

test('below /usr it is never ours to replace, whatever is there', () => {
  expect(originOf('/usr/bin/hostler', machine()).kind).toBe('managed');
  expect(originOf('/nix/store/x-hostler/bin/hostler', machine()).kind).toBe('managed');
});

test.each(['/usr/local/bin/hostler', '/home/ada/.local/bin/hostler', '/opt/a b/hostler'])(
  '%s came out of an archive, also where a package is installed beside it',
  (program) => {
    const origin = originOf(program, machine('var/lib/dpkg/info/hostler.list'), 'arm64');
    expect(told(origin)).toEqual(['hostler-6.1.0-linux-arm64.tar.gz']);
    expect(origin).toMatchObject({ programs: [{ file: program }] });
  },
);

test('from source nothing is replaced', () => {
  const from = (script: string) => told(findOwnProgram(null, { command: ['/usr/bin/bun', script] }).origin);
  expect(from('/home/ada/hostler/src/main.ts')).toEqual(['its source', 'git pull && npm install']);
  expect(from('/usr/lib/node_modules/hostler/src/main.ts')).toEqual(['npm', 'npm install --global hostler@6.1.0']);
});

test('it knows the processes that run the very file, and no others', () => {
  const own = findOwnProgram(null, { command: [process.execPath] });
  expect(own.isRunBy(process.pid)).toBe(true);
  expect(own.isRunBy(1)).toBe(false);
  expect(findOwnProgram(null, { command: ['/bin/true'] }).isRunBy(process.pid)).toBe(false);
});
