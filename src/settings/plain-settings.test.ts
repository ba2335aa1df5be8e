import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { fakeClock, fakeContext, memoryStorage } from '../../test/doubles/fake-host.ts';
import { settingsCatalogue } from '../features/index.ts';
import { nested, readSettings } from './file.ts';
import { noMachineSettings } from './locks.ts';
import { plainRules } from './plain-rules.generated.ts';
import { readPlainSettings } from './plain-settings.ts';
import { openSettings } from './settings.ts';

const { defaults } = settingsCatalogue;
const form = { schema: await settingsCatalogue.schema(), defaults };
const machine = noMachineSettings(defaults);
const read = (text: string) => readPlainSettings(plainRules, text, machine, 'settings.json');

/** The full check of the same text. */
function expectSame(text: string): void {
  const full = readSettings(form, text);
  expect(full).toEqual({ settings: full.settings, broken: null, complaints: [], overruled: [], newer: null });
  expect(JSON.stringify(read(text))).toBe(JSON.stringify(full.settings));
}

const plainFiles = [
  {},
  { version: 1, $schema: 'x' },
  { mqtt: {} },
  { history: { enabled: false }, logLevel: 'DEBUG' },
  { mqtt: { url: 'mqtt://broker.local:1883', scopes: ['read'], topic: 'home/hostler' } },
  { otlp: { endpoint: 'https://collector:4318/v1/metrics', interval: 10, encoding: 'json' } },
  { server: { host: '0.0.0.0', port: 80, tls: 'auto' }, disks: { allowedSecondaryMountPoints: ['/mnt'] } },
];

test('an ordinary file gives what the full check gives', () => {
  for (const file of plainFiles) expectSame(JSON.stringify(file));
});

test('the defaults themselves are plain where there is a rule', () => {
  for (const key of Object.keys(plainRules)) {
    const value = key.split('.').reduce<unknown>((inner, name) => Object(inner)[name], defaults);
    expect([key, read(JSON.stringify(nested(key.split('.'), value)))]).toEqual([key, defaults]);
  }
});

test('whatever a rule accepts, the schema accepts unchanged', () => {
  const urls = ['http', 'https', 'mqtt', 'mqtts', 'ws', 'wss', 'ftp'].flatMap((protocol) =>
    ['host', 'host:70000', 'a@host', '', ' host', 'h st', '[::1]:1', 'host/ä?b#c', '%', '.', 'a..b'].map(
      (rest) => `${protocol}://${rest}`,
    ),
  );
  const texts = [
    'a/b',
    'a//b',
    ' a',
    'x'.repeat(65),
    'x'.repeat(256),
    'x'.repeat(2049),
    'http:/a',
    'HTTP://a',
    ...urls,
  ];
  const word = fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom(...texts), fc.constantFrom('read', 'off', 'auto'));
  const value = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.array(word), fc.constantFrom(null, {}, []));
  let accepted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(plainRules)), value, (key, given) => {
      const text = JSON.stringify(nested(key.split('.'), given));
      if (read(text) === null) return;
      accepted += 1;
      expectSame(text);
    }),
    { numRuns: 5000 },
  );
  for (const key of Object.keys(plainRules)) {
    for (const given of texts) {
      const text = JSON.stringify(nested(key.split('.'), given));
      if (read(text) !== null) expectSame(text);
    }
  }
  expect(accepted).toBeGreaterThan(200);
});

test('values outside the plain rules are left to the full check', () => {
  const others = [
    '',
    '[]',
    '{} // comment',
    '{"logLevel": "INFO",}',
    '{"logLevel": "LOUD"}',
    '{"logLevel": null}',
    '{"mqtt": null}',
    '{"mqtt": []}',
    '{"mqtt": {"url": "mqtt://user@broker"}}',
    '{"unknown": {}}',
    '{"mqtt": {"unknown": 1}}',
    '{"mqtt.url": "mqtt://broker"}',
    '{"__proto__": {"logLevel": "INFO"}}',
    '{"mqtt": {"__proto__": {}}}',
    '{"server": {"port": 0}}',
    '{"version": 99}',
    '{"version": "1"}',
    '{"alerts": {"webhooks": []}}',
  ];
  for (const text of others) expect([text, read(text)]).toEqual([text, null]);
  const locked = { ...machine, locks: { file: '/etc/hostler/settings.json', keys: ['mcp.mode'] } };
  expect(readPlainSettings(plainRules, '{}', locked, 'settings.json')).toBeNull();
});

test('the service starts with an ordinary file without the schema library', async () => {
  const catalogue = { ...settingsCatalogue, schema: () => Promise.reject(new Error('the schema was loaded')) };
  const storage = memoryStorage({ '/config/settings.json': '{"version": 1, "logLevel": "DEBUG"}' });
  const paths = { config: '/config', state: '/state', runtime: null };
  const settings = await openSettings(catalogue, { storage, paths, clock: fakeClock(0) }, fakeContext().log);
  expect(settings.current()).toEqual({ ...defaults, logLevel: 'DEBUG' });
});
