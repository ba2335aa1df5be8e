import { expect, test } from 'bun:test';
import { fakeClock, memoryStorage, withSlashes } from '../../test/doubles/fake-host.ts';
import type { PostOrder, PostResponse } from '../host/post.ts';
import { hmacSha256 } from '../lib/digest.ts';
import { type AlertWebhook, webhookSchema } from './alerts.settings.schema.ts';
import type { AlertMessage, AlertOutcome } from './notification.ts';
import { postWebhook, shownWebhook, webhookSecret } from './webhook.ts';

const message: AlertMessage = {
  id: 'msg_1_begun',
  type: 'alert.begun',
  at: Date.UTC(2026, 0, 1),
  alert: {
    id: 'hot',
    name: 'Hot',
    condition: 'cpu above 90 %',
    text: 'cpu is 95 %, above 90 %',
    value: 95,
    threshold: 90,
    unit: 'percent',
    since: Date.UTC(2026, 0, 1),
  },
  machine: 'box',
  priority: 'normal',
};
const hook = (given: Partial<AlertWebhook> = {}): AlertWebhook => ({
  id: 'ops',
  url: 'https://hooks.example/T0/sesame?key=sesame',
  keyFile: '',
  caFile: '',
  ...given,
});

function machine(answer: () => Partial<PostResponse> = () => ({ status: 200 }), files: Record<string, string> = {}) {
  const orders: PostOrder[] = [];
  const storage = memoryStorage(files);
  const host = {
    clock: fakeClock(),
    storage,
    paths: { config: '/c', state: '/s', runtime: null },
    async post(order: PostOrder): Promise<PostResponse> {
      orders.push(order);
      return { status: 200, header: () => null, body: new Uint8Array(), ...answer() };
    },
  };
  const send = (webhook = hook()) => postWebhook(host as never, webhook, message, new AbortController().signal);
  return { host, storage, orders, send };
}

function failureIn(outcome: AlertOutcome): { error: string; full: string } {
  if (outcome.ok) throw new Error('it did not fail');
  return { error: outcome.error, full: outcome.full ?? '' };
}

test('the signature covers id, time and every byte of the body', async () => {
  const { host, orders, send } = machine();
  expect(await send()).toEqual({ ok: true });
  const [order] = orders;
  const secret = await webhookSecret(host as never, 'ops');
  const body = new TextDecoder().decode(order?.body);
  const seconds = String(Date.UTC(2026, 0, 1) / 1000);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  expect(order?.headers).toEqual({
    'Content-Type': 'application/json',
    'Webhook-Id': 'msg_1_begun',
    'Webhook-Timestamp': seconds,
    'Webhook-Signature': `v1,${hmacSha256(key, `msg_1_begun.${seconds}.${body}`).toString('base64')}`,
  });
  expect(JSON.parse(body)).toEqual({
    type: 'alert.begun',
    id: 'msg_1_begun',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { ...message.alert, since: '2026-01-01T00:00:00.000Z', machine: 'box' },
  });
  expect(order).toMatchObject({ timeoutMs: 10_000, isBodyIgnored: true, authorities: null });
});

test('concurrent callers get the same secret, and each webhook has its own', async () => {
  const { host, storage } = machine();
  const secrets = await Promise.all(Array.from({ length: 5 }, () => webhookSecret(host as never, 'ops')));
  expect(new Set(secrets).size).toBe(1);
  expect(await webhookSecret(host as never, 'other')).not.toBe(secrets[0] ?? '');
  expect(storage.contents.get('/s/alerts-secret')).not.toContain(secrets[0]?.slice(6) ?? '');
});

test.each([
  [201, { ok: true }],
  [301, { ok: false, retry: false, error: expect.stringContaining('a redirect; redirects are not followed') }],
  [304, { ok: false, retry: false }],
  [400, { ok: false, retry: false, error: 'it answered 400' }],
  [408, { ok: false, retry: true }],
  [410, { ok: false, retry: false }],
  [429, { ok: false, retry: true, askedForMs: 60_000 }],
  [500, { ok: false, retry: true, error: 'it answered 500' }],
  [599, { ok: false, retry: true }],
])('a receiver that responds with status %d gets a retry or none', async (status, expected) => {
  const { send } = machine(() => ({ status, header: (name) => (name === 'retry-after' ? '60' : null) }));
  expect(await send()).toMatchObject(expected);
});

test.each(['-1', '1e9', '99999999', 'Wed, 21 Oct 2099 07:28:00 GMT', ''])(
  'a Retry-After that makes no sense is not waited for: %j',
  async (text) => {
    const { send } = machine(() => ({ status: 503, header: () => text }));
    expect(await send()).toMatchObject({ askedForMs: null });
  },
);

test('a requested retry delay is limited to half an hour', async () => {
  const { send } = machine(() => ({ status: 503, header: () => '86400' }));
  expect(await send()).toMatchObject({ askedForMs: 1_800_000 });
});

test('no error contains the parts of the address that may be secret', async () => {
  const { send } = machine(() => {
    throw new Error(`cannot connect to ${hook().url}`);
  });
  expect(await send()).toMatchObject({ ok: false, retry: true, error: 'cannot connect to https://hooks.example' });
  expect(shownWebhook('nonsense')).toBe('an address that cannot be used');
});

test('an error of the runtime does not reveal the address, however it writes it', async () => {
  const { send } = machine(() => {
    throw new Error('Unable to use https://hooks.example:443/T0/sesame?key=sesame');
  });
  expect(failureIn(await send()).error).toBe('Unable to use https://hooks.example/…');
});

test('a custom key signs as it is, or as the base64 after whsec_', async () => {
  const plain = 'sixteen or more bytes';
  const { send, orders } = machine(undefined, {
    '/plain': `${plain}\n`,
    '/base64': `whsec_${Buffer.from(plain).toString('base64')}`,
  });
  await send(hook({ keyFile: '/plain' }));
  await send(hook({ keyFile: '/base64' }));
  const [first, second] = orders.map(({ headers }) => headers['Webhook-Signature']);
  expect(first).toBe(second ?? '');
});

test.each([
  ['relative', {}, 'is not named by an absolute path'],
  ['/nothing', {}, 'does not exist'],
  ['/short', { '/short': 'abc' }, 'holds less than 16 bytes, which is too little for a secret'],
])('an unusable key file is reported and nothing is sent: %s', async (keyFile, files, sentence) => {
  const { send, orders } = machine(undefined, files);
  expect(await send(hook({ keyFile }))).toMatchObject({
    ok: false,
    // Visible to every client that may read.
    error: `its key file ${sentence}`,
    full: `its key file, ${keyFile}, ${sentence}`,
  });
  expect(orders).toEqual([]);
});

test('a key file that others can read is not used', async () => {
  const { host, orders, send } = machine(undefined, { '/key': 'sixteen or more bytes' });
  host.storage.secretExposure = async () => ({ problem: 'its mode is 644', fix: 'chmod 600 /key' });
  expect(await send(hook({ keyFile: '/key' }))).toMatchObject({
    error: 'its key file can be read or changed by other users',
    full: expect.stringContaining('chmod 600 /key'),
  });
  expect(orders).toEqual([]);
});

test('the payload does not name a file that cannot be read', async () => {
  const { host, send, orders } = machine(undefined, { '/key': 'sixteen or more bytes' });
  host.storage.read = (file) => {
    throw new Error(`EACCES: permission denied, open '${file}'`);
  };
  for (const given of [{ keyFile: '/key' }, { keyFile: '' }, { keyFile: '/key', caFile: '/ca' }]) {
    const { error, full } = failureIn(await send(hook(given)));
    expect(error).toContain('cannot be read');
    expect(error).not.toContain('/');
    expect(full).toContain('EACCES');
  }
  expect(orders).toEqual([]);
});

test('the payload does not name a missing file of authorities', async () => {
  const { send } = machine();
  expect(await send(hook({ caFile: '/anna/ca.pem' }))).toMatchObject({
    error: 'its authorities file does not exist',
    full: 'its authorities file, /anna/ca.pem, does not exist',
  });
});

test.each(['', '\n', 'AAAA', Buffer.alloc(31, 7).toString('base64'), '!'.repeat(64)])(
  'a secret that is too short signs nothing, is not replaced and not printed: %j',
  async (text) => {
    const { host, send, orders, storage } = machine(undefined, { '/s/alerts-secret': text });
    const { error, full } = failureIn(await send());
    expect(error).toContain('instead of 32');
    expect(error).not.toContain('/');
    expect(withSlashes(full ?? '')).toContain('/s/alerts-secret');
    await expect(webhookSecret(host as never, 'ops')).rejects.toThrow('instead of 32');
    expect(orders).toEqual([]);
    expect(storage.contents.get('/s/alerts-secret')).toBe(text);
  },
);

test.each([
  ['https://hooks.example/x', true],
  ['http://localhost:8080/x', true],
  ['http://127.0.0.1/x', true],
  ['http://127.9.9.9/x', true],
  ['http://[::1]:8080/x', true],
  ['http://hooks.example/x', false],
  ['http://169.254.169.254/latest', false],
  ['http://127.0.0.1.example.com/', false],
  ['http://localhost.example.com/', false],
  ['http://user:word@localhost/', false],
  ['https://user:word@hooks.example/', false],
  ['file:///etc/passwd', false],
  ['ftp://localhost/', false],
  ['', false],
])('the webhook address "%s" is valid: %p', (url, expected) => {
  expect(webhookSchema.safeParse({ id: 'ops', url }).success).toBe(expected);
});
