import { describe, expect, test } from 'bun:test';
import path from 'node:path';
import { fakeClock, fakeContext, memoryStorage } from '../../test/doubles/fake-host.ts';
import { defaultSettings, settingsCatalogue } from '../features/index.ts';
import type { MachineFiles } from '../host/storage.ts';
import { UnusableFile } from '../lib/file-version.ts';
import { readMachineSettings } from './administrator-settings.ts';
import { readSettings } from './file.ts';
import { openSettings } from './settings.ts';

const form = { schema: await settingsCatalogue.schema(), defaults: settingsCatalogue.defaults };

const paths = { config: '/config', state: '/state', runtime: null };
const own = path.join('/config', 'settings.json');
const theirs = '/etc/hostler/settings.json';
const owner = { local: true, cli: true };

/** A machine whose administrator wrote `machine`; "REFUSED" stands for a file that others could have written. */
async function open({ user, machine }: { user?: string; machine?: string }) {
  const storage = memoryStorage(user === undefined ? {} : { [own]: user });
  const file = { text: machine, version: 0 };
  let changed = () => {};
  const watched: string[] = [];
  const machineFiles: MachineFiles = {
    directory: '/etc/hostler',
    list: () => [],
    write: async () => {},
    read: () =>
      file.text === undefined
        ? null
        : file.text === 'REFUSED'
          ? { refusal: 'it belongs to mallory' }
          : file.text === 'PLANTED'
            ? { refusal: 'it belongs to mallory', isPlanted: true }
            : { text: file.text },
    signature: () => (file.text === undefined ? '' : `${file.version}`),
    watch(name, callback) {
      watched.push(name);
      changed = callback;
      return () => {
        changed = () => {};
      };
    },
  };
  const said: string[] = [];
  const note = (sentence: string) => void said.push(sentence);
  const log = { ...fakeContext().log, warn: note, error: note };
  const clock = fakeClock();
  storage.machine = machineFiles;
  const settings = await openSettings(settingsCatalogue, { storage, paths, clock }, log);
  /** Resolves when the change was applied or refused. */
  const write = async (text: string | undefined, user?: string) => {
    file.text = text;
    file.version += 1;
    if (user !== undefined) storage.write(own, user);
    changed();
    clock.advance(50);
    await Bun.sleep(5);
  };
  const stored = (): unknown => JSON.parse(storage.contents.get(own) ?? '{}');
  return { settings, said, write, stored, storage, watched, clock, machineFiles };
}

const webhook = { id: 'ops', url: 'https://hooks.example/alerts', keyFile: '', caFile: '' };
const rule = { id: 'hot', enabled: true, when: { series: 'cpu', above: 90 }, notify: ['ops'] };
const lock = (locked: object, rest: object = {}) => JSON.stringify({ ...rest, locked });

describe("the administrator's settings", () => {
  test('override our defaults, and are overridden by those of the user', async () => {
    const { settings, said } = await open({
      user: '{"logLevel": "DEBUG"}',
      machine: '{"logLevel": "WARN", "history": {"interval": 30}} // for the school',
    });
    expect(settings.current()).toEqual({
      ...defaultSettings,
      logLevel: 'DEBUG',
      history: { ...defaultSettings.history, interval: 30 },
    });
    expect(settings.locks()).toBeNull();
    expect(said).toEqual([]);
  });

  test('apply without a file of the user', async () => {
    const { settings } = await open({ machine: lock({ mcp: { mode: 'read_only' } }, { autostart: true }) });
    expect(settings.current()).toMatchObject({ autostart: true, mcp: { mode: 'read_only', allowRemote: false } });
  });

  test("override the user's where they are locked, which is logged", async () => {
    const { settings, said } = await open({
      user: '{"mcp": {"mode": "full", "allowRemote": true}}',
      machine: lock({ mcp: { mode: 'read_only' }, commands: { allowlist: [] } }),
    });
    expect(settings.current().mcp).toMatchObject({ mode: 'read_only', allowRemote: true });
    expect(settings.locks()).toEqual({ file: theirs, keys: ['mcp.mode', 'commands.allowlist'] });
    expect(said).toEqual([`${own}: mcp.mode is not used, because ${theirs} locks it to another value`]);
  });

  test('cannot be changed where they are locked, in any way, and nothing is written then', async () => {
    const { settings, stored } = await open({
      machine: lock({ mcp: { mode: 'read_only' }, modules: { cpu: { interval: 500 } } }),
    });
    for (const change of [owner, { local: true }, { local: false }]) {
      const refused = settings.update({ logLevel: 'DEBUG', mcp: { mode: 'full' } }, change);
      await expect(refused).rejects.toThrow(
        `mcp.mode is locked by ${theirs}, which only the administrator of this machine can change`,
      );
    }
    await expect(settings.update({ modules: { cpu: { interval: 1000 } } }, owner)).rejects.toThrow(
      'modules.cpu.interval',
    );
    expect(stored()).toEqual({});
    // Clients send back everything that they got.
    await settings.update({ ...settings.current(), logLevel: 'DEBUG', modules: { gpus: { interval: 700 } } }, owner);
    expect(settings.current().modules).toEqual({ cpu: { interval: 500 }, gpus: { interval: 700 } });
  });

  test('are not copied into the file of the user by a change, so that they can change later', async () => {
    const machine = lock({ mcp: { mode: 'read_only' } }, { history: { interval: 30 } });
    for (const user of ['{}', '{"security": null}', '{"security": []}']) {
      const { settings, stored, write } = await open({ user, machine });
      settings.follow();
      await settings.update({ security: { allowedHosts: ['a.example'] } }, owner);
      expect(stored()).toEqual({ version: 1, security: { allowedHosts: ['a.example'] } });
      await write('{"history": {"interval": 60}}');
      expect(settings.current()).toMatchObject({ history: { interval: 60 }, mcp: { mode: 'standard' } });
    }
  });

  test('can be overridden with the value of our default', async () => {
    const { settings, stored } = await open({ machine: '{"history": {"enabled": false}}' });
    await settings.update({ history: { enabled: true } }, owner);
    expect(settings.current().history.enabled).toBe(true);
    expect(stored()).toEqual({ version: 1, history: { enabled: true } });
  });

  test('are followed: created, changed and removed', async () => {
    const { settings, write, watched } = await open({ user: '{"logLevel": "DEBUG"}' });
    settings.follow();
    const received: string[] = [];
    settings.onChange(({ logLevel }) => void received.push(logLevel));
    // Until there is a directory, its parent is watched.
    expect(watched).toEqual(['..']);
    await write(lock({ logLevel: 'ERROR' }));
    expect(watched.at(-1)).toBe('.');
    await write(lock({ logLevel: 'WARN' }));
    await write(undefined);
    expect(received).toEqual(['ERROR', 'WARN', 'DEBUG']);
    expect(settings.locks()).toBeNull();
  });

  test('are checked regularly where the system cannot announce changes', async () => {
    const { settings, storage, write, clock, said } = await open({});
    storage.watch = () => {
      throw new Error('EMFILE: too many open files');
    };
    settings.follow();
    expect(said[0]).toContain('checked every 10 s');
    await write(lock({ logLevel: 'ERROR' }));
    clock.advance(10_000);
    await Bun.sleep(5);
    expect(settings.current().logLevel).toBe('ERROR');
    await write(undefined);
    clock.advance(10_000);
    await Bun.sleep(5);
    expect(settings.current().logLevel).toBe('INFO');
    settings.close();
    expect(clock.advanceToNext()).toBe(false);
  });

  test.each([
    '{"locked": ',
    'REFUSED',
    'PLANTED',
    '{"locked": {"logLevel": "LOUD"}}',
    '{"locked": {"logLevel": null}}',
    '{"locked": ["logLevel"]}',
  ])('are unchanged while the file is %j', async (text) => {
    const { settings, said, write } = await open({ machine: lock({ logLevel: 'ERROR' }) });
    settings.follow();
    await write(text);
    expect(settings.current().logLevel).toBe('ERROR');
    expect(settings.locks()).not.toBeNull();
    expect(said.at(-1)).toMatch(/previous settings stay in effect|is ignored/);
  });

  test('apply although the user has made their own file unreadable', async () => {
    const { settings, write, storage } = await open({ user: '{"autostart": true}' });
    settings.follow();
    const read = storage.read;
    storage.read = (file) => {
      if (file === own) throw new Error('EACCES: permission denied');
      return read(file);
    };
    await write(lock({ logLevel: 'ERROR' }), '{}');
    expect(settings.current()).toMatchObject({ autostart: true, logLevel: 'ERROR' });
  });

  test('that cannot be read at first are read later', async () => {
    const { settings, write, machineFiles, clock, said } = await open({ user: '{}' });
    settings.follow();
    const { read } = machineFiles;
    machineFiles.read = () => {
      throw new Error('EMFILE: too many open files');
    };
    await write(lock({ logLevel: 'ERROR' }));
    expect(said).toEqual([expect.stringContaining('EMFILE')]);
    machineFiles.read = read;
    clock.advance(10_000);
    await Bun.sleep(5);
    expect(settings.current().logLevel).toBe('ERROR');
  });

  test('apply at once, even while the file of the user is broken', async () => {
    const { settings, write } = await open({ user: '{"autostart": true}' });
    settings.follow();
    await write(lock({ logLevel: 'ERROR' }), '{"autostart": ');
    expect(settings.current()).toMatchObject({ autostart: true, logLevel: 'ERROR' });
  });

  test.each([
    ['{"logLevel": "WARN"', 'is broken: close brace expected'],
    ['[]', 'is broken: it must contain an object'],
    ['REFUSED', 'it belongs to mallory'],
    ['{"locked": ["mcp.mode"]}', '"locked" must be an object'],
    [
      '{"locked": {"mcp": {"mode": "none"}}}',
      'locked.mcp.mode at line 1, column 29 must be one of read_only, standard, full',
    ],
    ['{"locked": {"mcp": {"mode": null}}}', 'locked.mcp.mode must have a value'],
    ['{"locked": {"mcp": "read_only"}}', 'locked.mcp at line 1, column 20 must be an object'],
    [lock({ alerts: { rules: [rule], webhooks: [] } }), 'locked.alerts.rules.0.notify.0 at line'],
  ])('with unknown locks (%s) prevent the start', async (machine, sentence) => {
    const opened = open({ user: '{"autostart": true}', machine });
    await expect(opened).rejects.toBeInstanceOf(UnusableFile);
    await expect(opened).rejects.toThrow(sentence);
  });

  test('that an ordinary user could have put there are ignored, which is logged', async () => {
    const { settings, said } = await open({ user: '{"autostart": true}', machine: 'PLANTED' });
    expect(settings.current()).toEqual({ ...defaultSettings, autostart: true });
    expect(said).toEqual(['settings: it belongs to mallory. It is ignored']);
  });
});

describe('contradictory settings of the administrator', () => {
  const contradictory = lock(
    { alerts: { webhooks: [] }, mcp: { mode: 'read_only' } },
    { alerts: { webhooks: [webhook], rules: [rule, { ...rule, id: 'hotter' }] }, logLevel: 'WARN' },
  );

  test('a default that a lock makes invalid is dropped; every lock applies', async () => {
    for (const user of [undefined, '{}', '{"mcp": {"mode": "full"}}']) {
      const { settings, said } = await open({ ...(user === undefined ? {} : { user }), machine: contradictory });
      expect(settings.locks()?.keys).toEqual(['alerts.webhooks', 'mcp.mode']);
      expect(settings.current()).toEqual({
        ...defaultSettings,
        logLevel: 'WARN',
        mcp: { ...defaultSettings.mcp, mode: 'read_only' },
      });
      expect(said[0]).toStartWith(`${theirs}: the default alerts.rules.0.notify.0 at line 1, column `);
      expect(said[0]).toContain(
        'is not used because it contradicts locked.alerts.webhooks: is not valid: there is no webhook or target "ops"',
      );
    }
  });

  test('a value of the user that a lock makes invalid is dropped; the rest of the file is used', async () => {
    const machine = lock(
      { alerts: { rules: [rule] }, mcp: { mode: 'read_only' } },
      { alerts: { webhooks: [webhook] } },
    );
    const { settings, said } = await open({
      user: '{"autostart": true, "alerts": {"webhooks": [], "rules": []}, "mcp": {"mode": "full"}}',
      machine,
    });
    expect(settings.current()).toMatchObject({
      autostart: true,
      mcp: { mode: 'read_only' },
      alerts: { webhooks: [webhook], rules: [rule] },
    });
    expect(said[0]).toBe(
      `${own}: alerts.webhooks is not used because it contradicts alerts.rules, which ${theirs} locks`,
    );
    await expect(settings.update({ alerts: { webhooks: [] } }, owner)).rejects.toThrow(
      'there is no webhook or target "ops"',
    );
  });
});

describe("an error in the administrator's file", () => {
  test.each([
    [
      { logLevel: 'LOUD' },
      {},
      'logLevel at line 1, column 13 must be one of DEBUG, INFO, WARN, ERROR; the default is used',
    ],
    [{ loglevel: 'WARN' }, {}, 'there is no setting loglevel; did you mean logLevel?'],
    [{}, { mcp: { mod: 'full' } }, 'there is no setting mcp.mod, so it cannot be locked; did you mean mcp.mode?'],
    [{}, { mcp: {} }, 'locked.mcp names no value, so it locks nothing'],
  ])('%j with %j locked: only the invalid value is dropped, with a complaint', (rest, locked, sentence) => {
    const { machine, unusable, complaints } = readMachineSettings(
      form,
      lock({ ...locked, files: { hidden: false } }, rest),
      theirs,
    );
    expect(unusable).toBeNull();
    expect(complaints).toEqual([sentence]);
    expect(machine.locks?.keys).toEqual(['files.hidden']);
    expect(readSettings(form, '{}', machine).settings).toEqual({ ...defaultSettings, files: { hidden: false } });
  });

  test('a hostile key reaches no prototype', () => {
    const { machine } = readMachineSettings(
      form,
      '{"locked": {"__proto__": {"polluted": true}, "logLevel": "WARN"}}',
      theirs,
    );
    expect({}).not.toHaveProperty('polluted');
    expect(machine.locks?.keys).toEqual(['logLevel']);
  });
});
