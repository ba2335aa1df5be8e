import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost } from '../../test/doubles/fake-host.ts';
import { realContained } from '../../test/harness/contained.ts';
import { lacks } from '../../test/harness/lacks.ts';
import { createMachineFiles } from '../host/linux/storage/machine-files.ts';
import { createStorage } from '../host/storage.ts';
import { type AdministratorFlags, setAdministratorSettings } from './settings.administrator.ts';

function machine(files: Record<string, string> = {}) {
  const etc = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-administrator-'));
  onTestFinished(() => fs.rmSync(etc, { recursive: true, force: true }));
  const administrators = createMachineFiles({ etc }, process.getuid?.() ?? 0, () => false);
  const given = path.join(etc, 'given');
  fs.mkdirSync(given, { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(given, name), text, { mode: 0o644 });
  const at = (name = '') => (name === '' ? '' : path.join(given, name));
  const storage = { ...createStorage(() => null), machine: administrators };
  const host = fakeHost({ storage, contained: realContained() });
  const file = path.join(etc, 'hostler', 'settings.json');
  const said: string[] = [];
  return {
    said,
    file,
    given,
    set: ({ port = '', settings, locks }: AdministratorFlags) =>
      setAdministratorSettings(
        { host, print: (line) => void said.push(line) },
        { port, settings: at(settings), locks: at(locks) },
      ),
    written: () => JSON.parse(fs.readFileSync(file, 'utf8')) as unknown,
  };
}

const files = {
  settings: '{ "logLevel": "WARN", /* a comment */ "server": { "host": "127.0.0.1" } }',
  locks: '{ "mcp": { "mode": "read_only" } }',
};

test('port, settings and locks become the file of the machine, readable by everyone', async () => {
  const { file, set, said, written } = machine(files);
  await set({ port: '9171', settings: 'settings', locks: 'locks' });
  expect(written()).toEqual({
    logLevel: 'WARN',
    server: { host: '127.0.0.1', port: 9171 },
    locked: { mcp: { mode: 'read_only' } },
  });
  expect(fs.statSync(file).mode & 0o777).toBe(0o644);
  expect(said).toEqual([`${file} applies to all users`]);
});

test('what is not given, or is empty, stays', async () => {
  const { set, written } = machine(files);
  await set({ settings: 'settings', locks: 'locks' });
  await set({ port: '9172', settings: '', locks: '' });
  expect(written()).toMatchObject({ logLevel: 'WARN', server: { port: 9172 }, locked: { mcp: { mode: 'read_only' } } });
});

test.each([
  [{}, 'Give --port, --settings or --locks'],
  [{ port: 'many' }, 'must be a number'],
  [{ port: '70000' }, 'Nothing was written'],
  [{ settings: 'broken' }, 'broken is broken'],
  [{ settings: 'missing' }, 'missing does not exist'],
  [{ locks: 'wrong' }, 'Nothing was written'],
])('%j is refused', async (flags, sentence) => {
  const { file, set } = machine({ broken: '{', wrong: '{ "mcp": { "mode": "everything" } }' });
  await expect(set(flags)).rejects.toThrow(sentence);
  expect(fs.existsSync(file)).toBe(false);
});

test('a broken file of the machine is not replaced, since its locks would be lost', async () => {
  const { file, set } = machine(files);
  await set({ locks: 'locks' });
  fs.writeFileSync(file, '{ "locked": ');
  await expect(set({ port: '9171' })).rejects.toThrow('is broken');
});

test.skipIf(lacks('modes'))('files that other users could have written are refused', async () => {
  const { file, given, set } = machine(files);
  fs.chmodSync(path.join(given, 'locks'), 0o666);
  await expect(set({ locks: 'locks' })).rejects.toThrow(/could have written .*locks.*chmod/);
  fs.chmodSync(path.join(given, 'locks'), 0o644);
  fs.chmodSync(given, 0o777);
  await expect(set({ settings: 'settings' })).rejects.toThrow('could have written');
  expect(fs.existsSync(file)).toBe(false);
});
