import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { actionFor, perform } from '../../../test/harness/perform.ts';
import type { Scope } from '../../access/scopes.ts';
import { type Caller, isLocal } from '../../core/caller.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { openSettings } from '../../settings/settings.ts';
import { actions, defaultSettings, settingsCatalogue } from '../index.ts';

const settingsSchema = await settingsCatalogue.schema();

const file = '/config/settings.json';
const here: Caller['connection'] = () => ({
  address: '::ffff:127.0.0.1',
  forwarded: false,
  isOurUser: async () => true,
});
const elsewhere: Caller['connection'] = () => ({
  address: '192.168.1.7',
  forwarded: false,
  isOurUser: async () => false,
});
const throughProxy: Caller['connection'] = () => ({
  address: '127.0.0.1',
  forwarded: true,
  isOurUser: async () => true,
});

/** The settings of a service, and the action as clients call it. */
async function service(text: string, connection: Caller['connection'] = here) {
  const storage = memoryStorage({ [file]: text });
  const host = fakeHost({ storage, paths: { config: '/config', state: '/state', runtime: null } });
  const logged: string[] = [];
  const log = { ...fakeContext().log, info: (line: string) => void logged.push(line) };
  const opened = await openSettings(settingsCatalogue, host, log);
  const { context } = fakeActionContext(host, {
    log,
    settings: opened.current,
    shownSettings: async (caller) =>
      await opened.shown(caller.scopes.has('admin') ? { local: await isLocal(caller) } : null),
    changeSettings: async (patch, caller) => await opened.update(patch, { local: await isLocal(caller) }),
  });
  const asked = { ...context, caller: { ...context.caller, connection } };
  const ask = (event: string, input: unknown, scopes = asked.caller.scopes) =>
    perform(actionFor(actions, event), input, { ...asked, caller: { ...asked.caller, scopes } });
  const stored = (): unknown => JSON.parse(storage.read(file) ?? '{}');
  return {
    get: (...scopes: Scope[]) => ask('GET_SETTINGS', {}, scopes.length === 0 ? undefined : new Set(scopes)),
    update: (patch: unknown) => ask('UPDATE_SETTINGS', patch),
    stored,
    logged,
  };
}

const backup = { id: 'backup', name: 'Backup', command: '/bin/true', workingDir: '', arguments: ['-v'] };
const films = { name: 'films', path: '/films' };

describe('the settings', () => {
  test('have all their keys, whatever the file contains', async () => {
    const { get } = await service('{"logLevel": "DEBUG", "unknown": 1}');
    expect(await get()).toEqual({ ...defaultSettings, logLevel: 'DEBUG' });
  });

  test('have exactly five keys in an entry of the list of commands', async () => {
    const { get } = await service(JSON.stringify({ commands: { allowlist: [{ ...backup, sixth: 'x' }] } }));
    expect(await get()).toMatchObject({ commands: { allowlist: [backup] } });
  });

  const ops = { id: 'ops', keyFile: '', caFile: '' };
  const url = 'https://hooks.example:8443/T0/sesame?key=sesame#sesame';
  const withUrls = {
    alerts: { rules: [], webhooks: [{ ...ops, url }] },
    mqtt: { url: 'wss://broker.example/sesame' },
    otlp: { endpoint: 'https://user:sesame@collector.example/v1' },
    releases: { url: 'https://releases.example/sesame.json' },
    chat: { oauthUrl: 'https://chat.example/?sesame' },
  };

  test('hide the secret parts of a URL from all but administrators', async () => {
    const { get, stored } = await service(JSON.stringify(withUrls));
    const masked = 'https://hooks.example:8443/…';
    expect(await get('command')).toMatchObject({
      alerts: { rules: [], webhooks: [{ ...ops, url: masked }] },
      mqtt: { url: 'wss://broker.example/…' },
      otlp: { endpoint: 'https://collector.example/…' },
    });
    for (const scope of ['read', 'control', 'command'] as const)
      expect(JSON.stringify(await get(scope))).not.toContain('sesame');
    // A local administrator may change these, but not what only the file and the CLI may set.
    expect(await get('admin')).toMatchObject({
      alerts: { webhooks: [{ url }] },
      mqtt: withUrls.mqtt,
      otlp: { endpoint: 'https://collector.example/…' },
    });
    expect(JSON.stringify(stored())).toContain(url);
  });

  test('hide them from a remote administrator, also with security.remoteAdmin, and in the response to a change', async () => {
    for (const connection of [elsewhere, throughProxy]) {
      const { get, update } = await service(JSON.stringify(withUrls), connection);
      expect(JSON.stringify(await get('admin'))).not.toContain('sesame');
      expect(JSON.stringify(await update({ logLevel: 'WARN' }))).not.toContain('sesame');
      const remote = await service(JSON.stringify({ ...withUrls, security: { remoteAdmin: true } }), connection);
      expect(JSON.stringify(await remote.get('admin'))).not.toContain('sesame');
    }
  });

  test('keep the original of a masked URL that is sent back', async () => {
    for (const connection of [here, elsewhere]) {
      const { get, update, stored } = await service(JSON.stringify(withUrls), connection);
      for (const seen of [await get('command'), await get('admin')]) {
        const whole = settingsSchema.parse(seen);
        const webhooks = whole.alerts.webhooks.map((webhook) => ({ ...webhook, url: new URL(webhook.url).href }));
        await update({ ...whole, logLevel: 'ERROR' });
        await update({ ...whole, logLevel: 'ERROR', alerts: { ...whole.alerts, webhooks } });
        expect(stored()).toEqual({ version: 1, ...withUrls, logLevel: 'ERROR' });
      }
    }
  });

  test('refuse a masked URL that matches no stored URL', async () => {
    const { update, stored } = await service(JSON.stringify(withUrls));
    for (const webhook of [
      { ...ops, id: 'other', url: 'https://hooks.example:8443/…' },
      { ...ops, url: 'https://elsewhere.example/…' },
    ])
      await expect(update({ alerts: { webhooks: [webhook] } })).rejects.toThrow('masked address');
    expect(stored()).toEqual(withUrls);
    await update({ alerts: { webhooks: [{ ...ops, url: 'https://new.example/hook' }] } });
    expect(stored()).toMatchObject({ alerts: { webhooks: [{ url: 'https://new.example/hook' }] } });
  });

  test('have no key named like a secret', () => {
    const names = JSON.stringify(settingsSchema.toJSONSchema()).match(/"[\w.]*(password|secret|token)[\w.]*":/gi);
    expect(names).toBeNull();
  });
});

describe('a change of the settings', () => {
  test('merges objects and replaces lists; what is not sent stays', async () => {
    const { update, stored, get } = await service(
      JSON.stringify({ commands: { allowlist: [backup] }, hotkeys: [{ name: 'a', key: 'b' }], server: { port: 9999 } }),
    );
    const answer = await update({ server: { host: '127.0.0.1' }, hotkeys: [{ name: 'c', key: 'd' }] });
    expect(answer).toEqual({
      ...defaultSettings,
      commands: { allowlist: [backup] },
      hotkeys: [{ name: 'c', key: 'd' }],
      server: { ...defaultSettings.server, host: '127.0.0.1', port: 9999 },
    });
    expect(await get()).toEqual(answer);
    expect(stored()).toEqual({
      version: 1,
      commands: { allowlist: [backup] },
      hotkeys: [{ name: 'c', key: 'd' }],
      server: { port: 9999, host: '127.0.0.1' },
    });
  });

  test('of nothing changes nothing', async () => {
    const { update, stored, logged } = await service('{"logLevel": "WARN"}');
    expect(await update({})).toEqual({ ...defaultSettings, logLevel: 'WARN' });
    expect(await update({ server: null, commands: { allowlist: null } })).toMatchObject({ logLevel: 'WARN' });
    expect(stored()).toEqual({ logLevel: 'WARN' });
    expect(logged).toEqual([]);
  });

  test('keeps unknown keys of the file, and takes none from a client', async () => {
    const { update, stored } = await service('{"theirs": {"a": 1}}');
    await update({ autostart: true, ours: 1, commands: { allowlist: [{ ...backup, sixth: 1 }], more: 1 } });
    expect(stored()).toEqual({ version: 1, theirs: { a: 1 }, autostart: true, commands: { allowlist: [backup] } });
  });

  test('leaves a line in the log with the caller and the keys, without the values', async () => {
    const { update, logged } = await service('{}');
    await update({ autostart: true, media: { directories: [films] } });
    expect(logged).toEqual(['settings: main at ::ffff:127.0.0.1 changed autostart, media']);
  });

  test.each([
    [{ logLevel: 'LOUD' }],
    [{ autostart: 'yes' }],
    [{ hotkeys: {} }],
    [{ commands: { allowlist: [{ id: 'x' }] } }],
    [{ commands: [] }],
    [{ server: { port: 0 } }],
    [{ modules: { cpu: { interval: 1 } } }],
    [{ server: 'all' }],
  ])('to %j is refused, and nothing is saved', async (patch) => {
    const { update, stored } = await service('{"logLevel": "WARN"}');
    await expect(update(patch)).rejects.toMatchObject({ code: 'invalid' });
    expect(stored()).toEqual({ logLevel: 'WARN' });
  });

  test.each([[[]], ['settings'], [7]])('that is not an object (%j) is refused', async (patch) => {
    await expect((await service('{}')).update(patch)).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('settings that are protected from other machines', () => {
  const harmless: Partial<Settings> = {
    autostart: true,
    systemTray: true,
    hotkeys: [{ name: 'a', key: 'b' }],
    logLevel: 'DEBUG',
    disks: { allowedSecondaryMountPoints: ['/snap/core'] },
    modules: { cpu: { interval: 5000 } },
  };
  const protectedOnes: Record<string, unknown>[] = [
    { history: { enabled: false } },
    { commands: { allowlist: [backup] } },
    { media: { directories: [films] } },
    { server: { host: '0.0.0.0' } },
    { server: { port: 1234 } },
    { security: { allowedHosts: ['x.example'] } },
    { security: { allowedOrigins: ['http://x.example'] } },
  ];

  test.each(Object.entries(harmless))('%s can be changed', async (key, value) => {
    const { update } = await service('{}', elsewhere);
    expect(await update({ [key]: value })).toEqual({ ...defaultSettings, [key]: value });
  });

  test.each(protectedOnes)('%j is refused, and with it the whole request', async (patch) => {
    for (const connection of [elsewhere, throughProxy]) {
      const { update, stored, get } = await service('{}', connection);
      await expect(update({ autostart: true, ...patch })).rejects.toMatchObject({ code: 'forbidden' });
      expect(stored()).toEqual({});
      expect(await get()).toEqual(defaultSettings);
    }
  });

  test.each(protectedOnes)('%j is changed by a caller on the machine', async (patch) => {
    expect(await (await service('{}')).update(patch)).toMatchObject(patch);
  });

  test.each(protectedOnes)('%j is changed where security.remoteAdmin is set', async (patch) => {
    const { update } = await service('{"security": {"remoteAdmin": true}}', elsewhere);
    expect(await update(patch)).toMatchObject(patch);
  });

  test('protected settings that are sent unchanged are accepted', async () => {
    const text = JSON.stringify({ commands: { allowlist: [backup] }, media: { directories: [films] } });
    const { update, get } = await service(text, elsewhere);
    const whole = settingsSchema.parse(await get());
    expect(await update({ ...whole, logLevel: 'ERROR' })).toEqual({ ...whole, logLevel: 'ERROR' });
  });

  test.each([{ security: { remoteAdmin: true } }, { releases: { url: 'https://example.org/x' } }])(
    '%j cannot be changed by any client',
    async (patch) => {
      for (const connection of [here, elsewhere]) {
        const { update } = await service('{"security": {"allowedHosts": ["x"]}}', connection);
        await expect(update(patch)).rejects.toMatchObject({ code: 'forbidden' });
      }
    },
  );
});

test('the locks of the administrator are readable with the scope for settings', async () => {
  const locks = { file: '/etc/hostler/settings.json', keys: ['mcp.mode'] };
  const ask = (given: Parameters<typeof fakeActionContext>[1]) =>
    perform(actionFor(actions, 'GET_SETTINGS_LOCKS'), {}, fakeActionContext(fakeHost(), given).context);
  expect(await ask({ settingsLocks: () => locks })).toEqual(locks);
  expect(await ask({ settingsLocks: () => null })).toEqual({ file: null, keys: [] });
  expect(await ask({})).toEqual({ file: null, keys: [] });
});
