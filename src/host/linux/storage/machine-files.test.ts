import { expect, onTestFinished, spyOn, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { createMachineFiles } from './machine-files.ts';

const me = process.getuid?.() ?? 0;

/** /etc of a machine whose root is the user of the tests. */
function machine(owner = me) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-etc-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const directory = path.join(root, 'hostler');
  fs.mkdirSync(path.join(directory, 'tokens.d'), { recursive: true, mode: 0o755 });
  const file = path.join(directory, 'settings.json');
  fs.writeFileSync(file, '{}', { mode: 0o644 });
  return { directory, file, files: createMachineFiles({ etc: root }, owner, () => false) };
}

test.each([{ etc: '/elsewhere' }, { all: '/elsewhere' }])(
  '%o does not move a directory of the administrator',
  (roots) => {
    expect(createMachineFiles(roots, 0, () => true).directory).toBe('/etc/hostler');
    expect(createMachineFiles(roots, 0, () => false).directory).toStartWith('/elsewhere/');
  },
);

test('files that only root can change are read, and missing ones are null', () => {
  const { files } = machine();
  expect(files.read('settings.json')).toEqual({ text: '{}' });
  expect(files.read('other.json')).toBeNull();
  expect(files.list('tokens.d')).toEqual([]);
  expect(files.list('nowhere')).toEqual([]);
});

test('a file of another user is not read', () => {
  expect(machine(me + 1).files.read('settings.json')).toEqual({ refusal: expect.stringContaining('belong to root') });
});

test.each([0o664, 0o646])('a file with mode %o is not read', (mode) => {
  const { file, files } = machine();
  fs.chmodSync(file, mode);
  expect(files.read('settings.json')).toEqual({ refusal: expect.stringContaining('chmod go-w') });
});

test('a file in a directory that others may write to is not read, directly or through a link', () => {
  const open = machine();
  fs.chmodSync(open.directory, 0o777);
  expect(open.files.read('settings.json')).toEqual({ refusal: expect.stringContaining(open.directory) });
  const linked = machine();
  fs.rmSync(linked.file);
  fs.symlinkSync(open.file, linked.file);
  expect(linked.files.read('settings.json')).toEqual({ refusal: expect.stringContaining(open.directory) });
});

test('a directory, a pipe and an endless file are refused at once', () => {
  const { directory, files } = machine();
  expect(files.read('tokens.d')).toEqual({ refusal: expect.stringContaining('not a file') });
  fs.writeFileSync(path.join(directory, 'large.json'), ' '.repeat(300_000), { mode: 0o644 });
  expect(files.read('large.json')).toEqual({ refusal: expect.stringContaining('larger') });
  makeNamedPipe(path.join(directory, 'pipe.json'));
  expect(files.read('pipe.json')).toEqual({ refusal: expect.stringContaining('not a file') });
});

test.each(['EMFILE', 'ENFILE', 'EIO'])('after %s nothing is taken for missing or refused', (code) => {
  const { files } = machine();
  const before = files.signature('tokens.d');
  const fail = () => {
    throw Object.assign(new Error(code), { code });
  };
  using _list = spyOn(fs, 'readdirSync').mockImplementation(fail);
  using _open = spyOn(fs, 'openSync').mockImplementation(fail);
  expect(() => files.list('tokens.d')).toThrow(code);
  expect(() => files.read('settings.json')).toThrow(code);
  expect(files.signature('tokens.d')).not.toBe(before);
});

test('the signature of a directory changes with its content', () => {
  const { directory, files } = machine();
  const empty = files.signature('tokens.d');
  const file = path.join(directory, 'tokens.d', 'a.json');
  fs.writeFileSync(file, '1');
  const one = files.signature('tokens.d');
  fs.writeFileSync(file, '12');
  expect(new Set([empty, one, files.signature('tokens.d')]).size).toBe(3);
  expect(files.signature('nowhere')).toBe('');
});
