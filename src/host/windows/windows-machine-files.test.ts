import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lacks } from '../../../test/harness/lacks.ts';
import { createWindowsMachineFiles } from './windows-machine-files.ts';

const safe = 'O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)';

function machine(descriptor: (place: string) => string | null = () => safe) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-programdata-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const directory = path.join(root, 'hostler');
  fs.mkdirSync(directory);
  const file = path.join(directory, 'settings.json');
  fs.writeFileSync(file, '{}');
  const rights = { descriptor };
  const set: string[] = [];
  const protect = async (...given: string[]) => set.push(given.join(' ')) > 0;
  return {
    root,
    directory,
    file,
    set,
    files: createWindowsMachineFiles(directory, async () => rights, rights, protect),
  };
}

test('files that only administrators can change are read, and missing ones are null', () => {
  const { files } = machine();
  expect(files.read('settings.json')).toEqual({ text: '{}' });
  expect(files.read('other.json')).toBeNull();
  expect(files.list('nowhere')).toEqual([]);
});

test.each([
  ['a file that users may write to', 'settings.json', 'O:BAD:(A;;FA;;;BA)(A;;FW;;;BU)', '(BU)'],
  ["an administrator's file in a user's directory", 'hostler', 'O:S-1-5-21-1D:(A;;FA;;;BA)', '(S-1-5-21-1)'],
])('%s is refused, and the error says how to fix it', (_what, name, sddl, who) => {
  const { files } = machine((place) => (path.basename(place) === name ? sddl : safe));
  const found = files.read('settings.json');
  expect(found).toEqual({ refusal: expect.stringContaining(who) });
  expect(found).toEqual({ refusal: expect.stringContaining('/setowner *S-1-5-32-544') });
});

test('a file with unknown permissions is refused', () => {
  expect(machine(() => null).files.read('settings.json')).toEqual({
    refusal: expect.stringContaining('unknown owner'),
    isPlanted: true,
  });
});

test('a file that an ordinary user could have created is marked as such', () => {
  const { files } = machine(() => 'O:S-1-5-21-1-2-3-1001D:(A;;FA;;;BA)');
  expect(files.read('settings.json')).toEqual({ refusal: expect.stringContaining('1001'), isPlanted: true });
});

test('a directory instead of a file and an endless file are refused', () => {
  const { files, directory } = machine();
  fs.mkdirSync(path.join(directory, 'tokens.d'));
  fs.writeFileSync(path.join(directory, 'large.json'), ' '.repeat(300_000));
  expect(files.read('large.json')).toEqual({ refusal: expect.stringContaining('larger') });
  expect('refusal' in (files.read('tokens.d') ?? {})).toBe(true);
});

test('permissions are loaded before a change is reported', async () => {
  const { directory, file } = machine();
  const loaded: string[] = [];
  const load = async () => {
    loaded.push('rights');
    return { descriptor: () => safe };
  };
  const files = createWindowsMachineFiles(directory, load, null, async () => true);
  expect(files.read('settings.json')).toEqual({ refusal: expect.stringContaining('unknown owner') });
  const changed = Promise.withResolvers<unknown>();
  const stop = files.watch('.', () => changed.resolve(files.read('settings.json')));
  fs.writeFileSync(file, '{"a": 1}');
  await changed.promise;
  stop();
  expect(loaded.length).toBeGreaterThan(0);
  expect(files.read('settings.json')).toEqual({ text: '{"a": 1}' });
});

test('what an administrator writes is in a directory that users cannot change', async () => {
  const { directory, files, set } = machine();
  await files.write('settings.json', '{"logLevel":"WARN"}');
  expect(files.read('settings.json')).toEqual({ text: '{"logLevel":"WARN"}' });
  expect(set).toEqual([`${directory} D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)`]);
  const refused = createWindowsMachineFiles(
    directory,
    async () => ({ descriptor: () => safe }),
    null,
    async () => false,
  );
  await expect(refused.write('settings.json', '{}')).rejects.toThrow('run this as administrator');
});

test('a directory that a user made first keeps its rights and gets no file', async () => {
  const foreign = machine((place) => (place.endsWith('hostler') ? safe.replace('O:BA', 'O:S-1-5-21-9') : safe));
  await expect(foreign.files.write('settings.json', '{"a":1}')).rejects.toThrow('does not belong to an administrator');
  expect(foreign.set).toEqual([]);
  expect(fs.readFileSync(foreign.file, 'utf8')).toBe('{}');
});

test.skipIf(lacks('links'))('a directory that is a link keeps its rights and gets no file', async () => {
  const linked = machine();
  const target = path.join(linked.root, 'elsewhere');
  fs.renameSync(linked.directory, target);
  fs.symlinkSync(target, linked.directory, 'junction');
  await expect(linked.files.write('settings.json', '{"a":1}')).rejects.toThrow('is a link');
  expect(linked.set).toEqual([]);
  expect(fs.readFileSync(path.join(target, 'settings.json'), 'utf8')).toBe('{}');
});
