import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeContext, memoryStorage } from '../../test/doubles/fake-host.ts';
import { defaultSettings, settingsCatalogue } from '../features/index.ts';
import { ServiceError } from '../lib/errors.ts';
import { mergeSettings, refuseProtected } from './change.ts';
import { editSettings, readSettings } from './file.ts';
import { openSettings } from './settings.ts';

const form = { schema: await settingsCatalogue.schema(), defaults: settingsCatalogue.defaults };

const settingsSchema = form.schema;

const paths = { config: '/config', state: '/state', runtime: null };
const file = '/config/settings.json';

function open(text?: string, setAside = true) {
  const storage = memoryStorage(text === undefined ? {} : { [file]: text });
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const { log } = fakeContext();
  const clock = fakeClock(Date.UTC(2026, 10, 15, 1, 2, 3));
  return {
    storage,
    logged,
    clock,
    opened: openSettings(
      settingsCatalogue,
      { storage, paths, clock },
      { ...log, warn: note, error: note },
      { setAside },
    ),
  };
}

const owner = { local: true, cli: true };
const remote = { local: false };

test('the defaults are valid settings', () => {
  expect(settingsSchema.parse(defaultSettings)).toEqual(defaultSettings);
});

describe('reading the settings file', () => {
  test('without a file the defaults apply', async () => {
    expect((await open().opened).current()).toEqual(defaultSettings);
  });

  test('comments and trailing commas are accepted, absent keys are defaults', () => {
    const { settings, broken, complaints } = readSettings(
      form,
      '{ // mine\n "logLevel": "DEBUG", /* and */ "server": {"port": 9171,}, }',
    );
    expect({ broken, complaints }).toEqual({ broken: null, complaints: [] });
    expect(settings).toEqual({
      ...defaultSettings,
      logLevel: 'DEBUG',
      server: { ...defaultSettings.server, host: '', port: 9171 },
    });
  });

  test('a broken file is reported with line and column and renamed, and the defaults apply', async () => {
    const { opened, storage, logged } = open('{\n  "logLevel": "INFO"\n  "server": {}\n}');
    expect((await opened).current()).toEqual(defaultSettings);
    expect([...storage.contents.keys()]).toEqual(['/config/settings.json.broken-2026-11-15T01-02-03-000Z']);
    expect(logged[0]).toContain('comma expected at line 3, column 3');
  });

  test('a command reports a broken file and does not change it', async () => {
    const { opened, storage, logged } = open('{"logLevel": }', false);
    expect((await opened).current()).toEqual(defaultSettings);
    expect([...storage.contents.keys()]).toEqual([file]);
    expect(logged[0]).toContain('value expected at line 1, column 14');
  });

  test('endless nesting is reported as broken and does not end the process', () => {
    expect(readSettings(form, '['.repeat(200_000)).broken).not.toBeNull();
  });

  test('thousands of bad values take no longer than one', () => {
    const bad = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`m${index}`, { interval: 'x' }]));
    const { settings, complaints } = readSettings(
      form,
      JSON.stringify({ modules: { ...bad, cpu: { interval: 500 } } }),
    );
    expect(settings.modules).toEqual({ cpu: { interval: 500 } });
    expect(complaints.length).toBeLessThanOrEqual(21);
  });

  test.each([['[]'], ['"text"'], ['12']])('a file that holds %s is broken', (text) => {
    expect(readSettings(form, text).broken).toBe('it must contain an object { … }');
  });

  test('only the value of a wrong type is dropped, with its position', () => {
    const { settings, complaints } = readSettings(
      form,
      '{\n  "logLevel": "LOUD",\n  "autostart": true,\n  "server": {"port": 70000, "host": "::1"}\n}',
    );
    expect(settings.autostart).toBe(true);
    expect(settings.logLevel).toBe('INFO');
    expect(settings.server).toEqual({ ...defaultSettings.server, host: '::1', port: 9170 });
    expect(complaints).toHaveLength(2);
    expect(complaints[0]).toBe(
      'logLevel at line 2, column 15 must be one of DEBUG, INFO, WARN, ERROR; the default is used',
    );
    expect(complaints[1]).toBe('server.port at line 4, column 22 must be at most 65535; the default is used');
  });

  test('several wrong entries of a list drop the list, and not the section', () => {
    const webhook = { id: 'ops', url: 'https://hooks.example/alerts', keyFile: '', caFile: '' };
    const { settings } = readSettings(
      form,
      JSON.stringify({ alerts: { rules: [{ id: 'a' }, { id: 'b' }], webhooks: [webhook] } }),
    );
    expect(settings.alerts).toEqual({ rules: [], webhooks: [webhook], targets: [], quiet: '' });
  });

  test('a wrong entry of a list drops the list', () => {
    const { settings, complaints } = readSettings(form, '{"hotkeys":[{"name":"a","key":"b"},{"name":1}]}');
    expect(settings.hotkeys).toEqual([]);
    expect(complaints).toHaveLength(1);
  });
});

describe('changing the settings', () => {
  test('a partial change merges and removes nothing that was not sent', async () => {
    const { opened, storage } = open('{"autostart": true}');
    const settings = await opened;
    const saved = await settings.update({ server: { port: 9171 } }, owner);
    expect(saved).toEqual({
      ...defaultSettings,
      autostart: true,
      server: { ...defaultSettings.server, host: '', port: 9171 },
    });
    expect(JSON.parse(storage.contents.get(file) ?? '')).toEqual({
      version: 1,
      autostart: true,
      server: { port: 9171 },
    });
  });

  test('objects merge, arrays replace, null means absent', () => {
    expect(mergeSettings({ a: { b: 1, c: [1, 2] }, d: 4 }, { a: { b: null, c: [3] }, d: null })).toEqual({
      a: { b: 1, c: [3] },
      d: 4,
    });
  });

  test('setting all of modules resets the intervals that it lacks; a part of it merges', async () => {
    const { storage, opened } = open(
      '{ "modules": { "cpu": { "interval": 5000 }, "gpus": { "interval": 250 } } } // mine',
    );
    const settings = await opened;
    const part = { modules: { gpus: { interval: 500 } } };
    expect((await settings.update(part, owner)).modules).toEqual({ cpu: { interval: 5000 }, gpus: { interval: 500 } });
    expect((await settings.update({ modules: {} }, owner)).modules).toHaveProperty('cpu');
    expect((await settings.update(part, { ...owner, replacesModules: true })).modules).toEqual(part.modules);
    expect((await settings.update({ modules: {} }, { ...owner, replacesModules: true })).modules).toEqual({});
    expect(storage.contents.get(file)).toContain('// mine');
    expect(readSettings(form, storage.contents.get(file) ?? '').settings.modules).toEqual({});
  });

  test('a hostile key reaches no prototype', () => {
    const merged = mergeSettings(defaultSettings, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(merged).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  test('comments and unknown keys of the file are kept', () => {
    const text = '{\n  // for the kitchen\n  "autostart": true,\n  "future": {"x": 1}\n}\n';
    const edited = editSettings(
      form,
      text,
      { ...defaultSettings, autostart: true },
      { ...defaultSettings, autostart: false, logLevel: 'WARN' },
    );
    expect(edited).toContain('// for the kitchen');
    expect(edited).toContain('"autostart": false');
    expect(edited).toMatch(/"future": \{\s*"x": 1\s*\}/);
    expect(readSettings(form, edited).settings.logLevel).toBe('WARN');
  });

  test.each([
    ['a section that is null', '{"security": null}'],
    ['a section of the wrong kind', '{"security": []}'],
    ['a doubled key', '{"security": {"remoteAdmin": false}, "security": {"remoteAdmin": false}, "logLevel": "ERROR"}'],
  ])('%s in the file does not prevent a change', async (_name, text) => {
    const { opened, storage } = open(text);
    const saved = await (await opened).update({ security: { allowedHosts: ['a.example'] } }, owner);
    expect(saved.security.allowedHosts).toEqual(['a.example']);
    expect(readSettings(form, storage.contents.get(file) ?? '').settings).toEqual(saved);
  });

  test('an invalid setting is refused with the name of the field, and nothing is written', async () => {
    const { opened, storage } = open();
    const settings = await opened;
    expect(settings.update({ server: { port: 'high' } }, owner)).rejects.toThrow('server.port must be a number');
    expect(storage.contents.size).toBe(0);
  });

  test('a change without effect writes nothing, such as a key that does not exist', async () => {
    const { opened, storage } = open();
    await (await opened).update({ screen: { alowed: true } }, owner);
    expect(storage.contents.size).toBe(0);
  });

  test('an allowed command may leave out directory and arguments, and is shown with all five keys', async () => {
    const short = { id: 'backup', name: 'Backup', command: '/bin/true' };
    const all = { ...short, workingDir: '', arguments: [] };
    const settings = await open(JSON.stringify({ commands: { allowlist: [short] } })).opened;
    expect(settings.current().commands.allowlist).toEqual([all]);
    await settings.update({ commands: { allowlist: [short, { ...short, id: 'other' }] } }, owner);
    expect(settings.current().commands.allowlist).toEqual([all, { ...all, id: 'other' }]);
  });

  test('listeners are notified of a change', async () => {
    const settings = await open().opened;
    const seen: string[] = [];
    settings.onChange(({ logLevel }) => void seen.push(logLevel));
    await settings.update({ logLevel: 'ERROR' }, owner);
    expect(seen).toEqual(['ERROR']);
  });
});

describe('a change from another machine:', () => {
  const change = (patch: unknown, by: { local: boolean; cli?: boolean }, before = defaultSettings) =>
    refuseProtected(before, settingsSchema.parse(mergeSettings(before, patch)), by, settingsCatalogue.protection);
  const command = { id: 'x', name: 'x', command: '/bin/true', workingDir: '', arguments: [] };

  test.each([
    ['autostart', { autostart: true }],
    ['systemTray', { systemTray: true }],
    ['hotkeys', { hotkeys: [{ name: 'a', key: 'b' }] }],
    ['logLevel', { logLevel: 'DEBUG' }],
    ['disks', { disks: { allowedSecondaryMountPoints: ['/snap'] } }],
    ['modules', { modules: { cpu: { interval: 500 } } }],
  ])('%s is allowed', (_name, patch) => {
    expect(() => change(patch, remote)).not.toThrow();
  });

  test.each([
    ['commands', { commands: { allowlist: [command] } }],
    ['custom', { custom: { sensors: [{ id: 'a', name: 'A', file: '/etc/shadow', parse: 'text' }] } }],
    ['the list of containers', { containers: { allowlist: ['web'] } }],
    ['the sockets of engines', { containers: { sockets: ['/tmp/evil.sock'] } }],
    ['media', { media: { directories: [{ name: 'all', path: '/' }] } }],
    ['server', { server: { host: '0.0.0.0' } }],
    ['security', { security: { allowedOrigins: ['http://evil.example'] } }],
  ])('%s is refused, and allowed on the machine itself', (_name, patch) => {
    expect(() => change(patch, remote)).toThrow(ServiceError);
    expect(() => change(patch, { local: true })).not.toThrow();
  });

  test.each([
    ['security.remoteAdmin', { security: { remoteAdmin: true } }],
    ['releases.url', { releases: { url: 'https://releases.example' } }],
    ['otlp.endpoint', { otlp: { endpoint: 'https://collector.example' } }],
    ['otlp.headersFile', { otlp: { headersFile: '/home/me/.ssh/id_ed25519' } }],
    ['otlp.caFile', { otlp: { caFile: '/tmp/mine.pem' } }],
  ])('%s is for the file and the command line only', (_name, patch) => {
    expect(() => change(patch, { local: true })).toThrow('only in the settings file');
    expect(() => change(patch, owner)).not.toThrow();
  });

  test('protected keys sent unchanged are allowed, a real change refuses the whole message', () => {
    expect(() => change({ ...defaultSettings, logLevel: 'DEBUG' }, remote)).not.toThrow();
    expect(() => change({ logLevel: 'DEBUG', media: { directories: [{ name: 'r', path: '/' }] } }, remote)).toThrow(
      'media can be changed only on the machine',
    );
  });

  test('with remoteAdmin the rest can be changed remotely, but not remoteAdmin itself', () => {
    const open = { ...defaultSettings, security: { ...defaultSettings.security, remoteAdmin: true } };
    expect(() => change({ commands: { allowlist: [command] } }, remote, open)).not.toThrow();
    expect(() => change({ security: { remoteAdmin: false } }, remote, open)).toThrow(ServiceError);
  });

  test.each(['http://localhost:8080/admin', 'https://169.254.169.254/latest', 'https://hooks.example/alerts'])(
    'a webhook to %s can be set on the machine itself only, also with remoteAdmin',
    (url) => {
      const open = { ...defaultSettings, security: { ...defaultSettings.security, remoteAdmin: true } };
      const patch = { alerts: { webhooks: [{ id: 'ops', url }] } };
      expect(() => change(patch, remote, open)).toThrow('alerts.webhooks can be changed only on the machine itself');
      expect(() => change(patch, { local: true }, open)).not.toThrow();
    },
  );

  test.each([
    ['mqtt.url', 'mqtt://127.0.0.1:6379'],
    ['mqtt.caFile', '/tmp/mine.pem'],
    ['mqtt.certificateFile', '/home/me/mine.pem'],
    ['mqtt.keyFile', '/home/me/.ssh/id_ed25519'],
  ])('%s can be set on the machine itself only, also with remoteAdmin', (key, value) => {
    const open = { ...defaultSettings, security: { ...defaultSettings.security, remoteAdmin: true } };
    const patch = { mqtt: { [key.slice('mqtt.'.length)]: value } };
    expect(() => change(patch, remote, open)).toThrow(`${key} can be changed only on the machine itself`);
    expect(() => change(patch, { local: true }, open)).not.toThrow();
  });

  test('with remoteAdmin the rules of alerts can be changed remotely', () => {
    const open = { ...defaultSettings, security: { ...defaultSettings.security, remoteAdmin: true } };
    const rule = { id: 'busy', when: { series: 'cpu', above: 90 }, notify: ['screen'] };
    expect(() => change({ alerts: { rules: [rule] } }, remote, open)).not.toThrow();
  });
});

test('the file is checked regularly where the system cannot announce changes', async () => {
  const { opened, storage, clock, logged } = open('{}');
  storage.watch = () => {
    throw new Error('EMFILE: too many open files');
  };
  const settings = await opened;
  settings.follow();
  expect(logged[0]).toContain('checked every 10 s');
  storage.write(file, '{"logLevel": "DEBUG"}');
  const changed = new Promise((resolve) => settings.onChange(resolve));
  clock.advance(10_000);
  await changed;
  expect(settings.current().logLevel).toBe('DEBUG');
  settings.close();
  expect(clock.advanceToNext()).toBe(false);
});

test('a change that cannot be read at first is read later, and reported once', async () => {
  const { opened, storage, clock, logged } = open('{}');
  let changed = () => {};
  storage.watch = (_directory, callback) => {
    changed = () => callback(null);
    return () => {};
  };
  const settings = await opened;
  settings.follow();
  const { read } = storage;
  storage.read = () => {
    throw new Error('EMFILE: too many open files');
  };
  storage.write(file, '{"logLevel": "DEBUG"}');
  changed();
  for (const ms of [50, 10_000, 10_000]) {
    clock.advance(ms);
    await Bun.sleep(1);
  }
  expect(logged).toEqual([expect.stringContaining('EMFILE')]);
  expect(settings.current().logLevel).not.toBe('DEBUG');
  storage.read = read;
  clock.advance(10_000);
  await Bun.sleep(1);
  expect(settings.current().logLevel).toBe('DEBUG');
  expect(clock.advanceToNext()).toBe(false);
  settings.close();
});

describe('containers in the settings', () => {
  const parsed = (containers: unknown) => settingsSchema.safeParse({ ...defaultSettings, containers }).success;

  test.each(['web', 'shop-web-1', 'a.b_c'])('%s is a valid name', (name) => {
    expect(parsed({ allowlist: [name], sockets: [] })).toBe(true);
  });

  test.each(['', '*', 'web*', '../web', 'a/b', 'a b', '-x', 'w\n', 'w\u202e', 'x'.repeat(256)])(
    '%j is not a valid name',
    (name) => {
      expect(parsed({ allowlist: [name], sockets: [] })).toBe(false);
    },
  );

  test.each(['tcp://1.2.3.4:2375', 'docker.sock', '', 'http://x', '/a\0b'])('%j is not a socket', (socket) => {
    expect(parsed({ allowlist: [], sockets: [socket] })).toBe(false);
  });
});
