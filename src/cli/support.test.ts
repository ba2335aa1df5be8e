import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../test/doubles/fake-host.ts';
import { storedText } from '../access/tokens/token-file.ts';
import type { Paths } from '../host/paths.ts';
import { withoutSecrets } from '../lib/mask-url.ts';
import { createSupportScrubber } from './support.ts';

const token = 'a1'.repeat(20);

test.each([
  [`GET /hooks/${token}/x 404`, 'GET /hooks/(left out)/x 404'],
  [`the token ${token}.`, 'the token (left out).'],
  ['sent to https://hooks.example/T0/short, which failed', 'sent to https://hooks.example/…, which failed'],
  ['(see mqtts://user:pass@broker.example:8883)', '(see mqtts://broker.example:8883/…)'],
  [`wss://broker.example/?key=${token}`, 'wss://broker.example/…'],
])('secrets are removed from "%s"', (line, expected) => {
  expect(withoutSecrets(line)).toBe(expected);
});

test.each([
  'listening on http://127.0.0.1:9170 and https://[::1]:9171/',
  'file:///home/ada/.config/hostler/settings.json',
  '/usr/lib/x86_64-linux-gnu/libsystemd-shared-252.so',
])('the line "%s" without secrets is unchanged', (line) => {
  expect(withoutSecrets(line)).toBe(line);
});

const stored = { scopes: [], kind: 'general' as const, created: null, sha256: 'ab'.repeat(32) };
const settings = {
  mqtt: { url: 'mqtt://broker.alice-miller.example:1883', username: 'alice-mqtt' },
  otlp: { endpoint: 'https://Otel.example.org/v1' },
  alerts: { webhooks: [{ id: 'w', url: 'https://hooks.miller.example/T0' }] },
  security: { allowedHosts: ['alice.dyn.example:443'], allowedOrigins: ['https://panel.bob.example:8443'] },
};

function machine(settingsText: string) {
  const storage = memoryStorage({
    '/config/settings.json': settingsText,
    '/state/tokens.json': storedText([{ id: 'one', name: 'alice-phone', ...stored }]),
  });
  return fakeHost({
    storage,
    paths: { config: '/config', state: '/state' } as Paths,
    environment: { hostname: () => 'box', userName: 'alice', home: '/home/alice' },
    network: { searchDomains: () => [], addresses: () => [] },
  });
}

test.each([
  [
    'mqtt: connected to mqtt://broker.alice-miller.example:1883 with MQTT 5',
    /^mqtt: connected to mqtt:\/\/host\d+\.example:1883 with MQTT 5$/,
  ],
  ['the name is not *.alice-miller.example', /^the name is not \*\.domain\d+\.example$/],
  ['getaddrinfo ENOTFOUND otel.EXAMPLE.org', /^getaddrinfo ENOTFOUND host\d+\.example$/],
  ['https://hooks.miller.example/T0 failed', /^https:\/\/host\d+\.example\/… failed$/],
  ['known as alice.dyn.example, from panel.bob.example', /^known as host\d+\.example, from host\d+\.example$/],
  ['the broker refused alice-mqtt', /^the broker refused user\d$/],
  [
    'access: Firefox at 10.0.0.1 signed in with the token alice-phone',
    /^access: Firefox at \S+ signed in with the token token\d$/,
  ],
  ['access: main revoked the token bobs tablet', /^access: main revoked the token token\d$/],
  ['files: bobs tablet at 10.0.0.1', /^files: token\d at \S+$/],
  ['settings: a revoked one at 127.0.0.1 changed logLevel', /^settings: token\d at 127.0.0.1 changed logLevel$/],
  ['command: build was started by "cellar pc" at fd00::1', /^command: build was started by "token\d" at \S+$/],
  ['access: "Kitchen tablet" at 10.0.0.1 was given a token', /^access: "token\d" at \S+ was given a token$/],
  ['A device that calls itself \\"Kitchen tablet\\" asks', /^A device that calls itself \\"token\d\\" asks$/],
  ['listening on http://localhost:9170', /^listening on http:\/\/localhost:9170$/],
])('without configured hosts and names of tokens: %s', async (line, expected) => {
  const log = ['access: main revoked the token bobs tablet', line];
  expect((await createSupportScrubber(machine(JSON.stringify(settings)), log))(line)).toMatch(expected);
});

test('the servers and accounts of alert targets are replaced, which only their secret URLs name', async () => {
  const host = machine('{}');
  const urls = {
    phone: 'gotifys://push.carol.example:8443/TOKEN',
    mail: 'mailtos://carol:word@carol.example?smtp=mx.dora.example',
  };
  host.storage.write('/state/alert-targets', JSON.stringify(urls));
  const scrub = await createSupportScrubber(host, []);
  expect(scrub('alerts: the name push.carol.example has no address')).toMatch(/the name host\d+\.example has/);
  expect(scrub('alerts: the certificate is not for mx.dora.example')).toMatch(/not for host\d+\.example$/);
  expect(scrub('alerts: 535 carol is not known')).not.toContain('carol');
});

test('hosts that the settings do not name, or no longer, are replaced where they are in a URL', async () => {
  const line = 'mqtt: connected to mqtt://broker.alice-miller.example:1883';
  const scrub = await createSupportScrubber(machine('{}'), [line]);
  expect(scrub(line)).toMatch(/^mqtt: connected to mqtt:\/\/host\d+\.example:1883$/);
});
