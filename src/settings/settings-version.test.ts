import { describe, expect, test } from 'bun:test';
import path from 'node:path';
import { fakeClock, fakeContext, memoryStorage, withSlashes } from '../../test/doubles/fake-host.ts';
import { settingsCatalogue } from '../features/index.ts';
import type { MachineFiles } from '../host/storage.ts';
import { UnusableFile } from '../lib/file-version.ts';
import { openSettings } from './settings.ts';
import { migrateSettings } from './settings-version.ts';

const paths = { config: '/config', state: '/state', runtime: null };
const file = path.join('/config', 'settings.json');
const owner = { local: true, cli: true };

function machine(first: { user?: string; admin?: string }) {
  const storage = memoryStorage(first.user === undefined ? {} : { [file]: first.user });
  const admin = { text: first.admin, count: 0 };
  const files: MachineFiles = {
    directory: '/etc/hostler',
    list: () => [],
    write: async () => {},
    read: () => (admin.text === undefined ? null : { text: admin.text }),
    signature: () => (admin.text === undefined ? '' : `${admin.count}`),
    watch: () => () => {},
  };
  storage.machine = files;
  const said: string[] = [];
  const note = (sentence: string) => void said.push(sentence);
  const log = { ...fakeContext().log, warn: note, error: note };
  return {
    storage,
    said,
    open: (setAside = true) =>
      openSettings(settingsCatalogue, { storage, paths, clock: fakeClock() }, log, { setAside }),
    write(text: string) {
      admin.text = text;
      admin.count += 1;
    },
  };
}

describe('a newer settings file', () => {
  const newer = '{"version": 2, "logLevel": "DEBUG"} // of tomorrow';

  test.each([true, false])(
    'prevents the start of the service and the commands, and stays unchanged',
    async (setAside) => {
      const { open, storage } = machine({ user: newer });
      await expect(open(setAside)).rejects.toThrow(UnusableFile);
      await expect(open(setAside)).rejects.toThrow(/settings\.json has version 2.*Install the newer Hostler again/);
      expect([...storage.contents]).toEqual([[withSlashes(file), newer]]);
    },
  );

  test.each(['"2"', '0', '1.5', '{}', 'true', 'null'])('is also one whose version is %s', async (version) => {
    await expect(machine({ user: `{"version": ${version}}` }).open()).rejects.toThrow(UnusableFile);
  });

  test('that appears under a running service changes nothing, and is not overwritten', async () => {
    const { open, storage, said } = machine({ user: '{"logLevel": "WARN"}' });
    const settings = await open();
    storage.write(file, newer);
    await settings.reload();
    expect(settings.current().logLevel).toBe('WARN');
    expect(said).toEqual([expect.stringMatching(/has version 2.*The previous settings stay in effect/)]);
    await expect(settings.update({ autostart: true }, owner)).rejects.toThrow('has version 2');
    expect(storage.contents.get(file)).toBe(newer);
  });
});

describe('a newer file of the administrator', () => {
  const newer = '{"version": 2, "locked": {"mcp": {"mode": "read_only"}}}';

  test('prevents the start of the service: its locks are not known', async () => {
    await expect(machine({ admin: newer }).open()).rejects.toThrow(UnusableFile);
    await expect(machine({ admin: newer, user: '{"mcp": {"mode": "full"}}' }).open()).rejects.toThrow(UnusableFile);
  });

  test('that replaces an older one under a running service opens nothing', async () => {
    const { open, write, said } = machine({ admin: '{"locked": {"mcp": {"mode": "read_only"}}}' });
    const settings = await open();
    write('{"version": 2, "locked": {}}');
    await settings.reload();
    expect(settings.current().mcp.mode).toBe('read_only');
    await expect(settings.update({ mcp: { mode: 'full' } }, owner)).rejects.toThrow('is locked by');
    expect(said).toEqual([expect.stringMatching(/has version 2.*previous settings stay in effect/)]);
  });

  test('has a version that is not reported as an unknown setting', async () => {
    const { open, said } = machine({ admin: '{"version": 1, "locked": {"mcp": {"mode": "read_only"}}}' });
    expect((await open()).locks()?.keys).toEqual(['mcp.mode']);
    expect(said).toEqual([]);
  });
});

test('a written file has its version first, once, and comments stay', async () => {
  const { open, storage, said } = machine({ user: '{\n  // mine\n  "logLevel": "WARN"\n}\n' });
  const settings = await open();
  await settings.update({ autostart: true }, owner);
  await settings.update({ autostart: false }, owner);
  const text = storage.contents.get(file) ?? '';
  expect(text).toContain('// mine');
  expect(text.match(/"version": 1/g)).toHaveLength(1);
  expect(text.indexOf('"version"')).toBeLessThan(text.indexOf('"logLevel"'));
  expect(said).toEqual([]);
});

test('an older version goes through the steps between', () => {
  const steps = [
    ({ port, ...rest }: Record<string, unknown>) => ({ ...rest, server: { port } }),
    (given: Record<string, unknown>) => ({ ...given, third: true }),
  ];
  expect(migrateSettings({ port: 1 }, file, steps)).toEqual({
    value: { server: { port: 1 }, third: true },
    isOlder: true,
  });
  expect(migrateSettings({ version: 2, port: 1 }, file, steps).value).toEqual({ version: 2, port: 1, third: true });
  expect(migrateSettings({ version: 3 }, file, steps)).toEqual({ value: { version: 3 }, isOlder: false });
  expect(() => migrateSettings({ version: 4 }, file, steps)).toThrow(UnusableFile);
});
