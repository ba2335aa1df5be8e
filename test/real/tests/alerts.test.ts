import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openBroker, startWitness } from '../harness/broker.ts';
import { announced, componentsOf, connected, payloadAt } from '../harness/mqtt-service.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startPrivateDunst } from '../harness/private-dunst.ts';
import {
  createToken,
  postJson,
  type RunningHostler,
  root,
  runHostler,
  startHostler,
  until,
} from '../harness/service.ts';
import { selfSigned } from '../harness/tls.ts';
import {
  endlessResponse,
  type ReceivedMessage,
  startCloser,
  startWebhookReceiver,
} from '../harness/webhook-receivers.ts';

setDefaultTimeout(300_000);

const long = 180_000;
/** Every machine uses more than this. */
const always = { series: 'memory', above: 0.001 };
const never = { series: 'memory', above: 1000 };

interface Alert {
  id: string;
  state: string;
  reason: string | null;
  value: number | null;
  notify: { way: string; state: string; tries: number; error: string | null }[];
}

const alertsOf = async (hostler: RunningHostler) =>
  ((await (await hostler.get('/api/alerts')).json()) as { alerts: Alert[] }).alerts;
const wayOf = async (hostler: RunningHostler, id: string) =>
  (await alertsOf(hostler)).find((alert) => alert.id === id)?.notify[0] ?? null;
const withAlerts =
  (alerts: { rules: unknown[]; webhooks?: unknown[] }, rest: Record<string, unknown> = {}) =>
  (directory: string) => {
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
    const settings = { history: { interval: 5 }, alerts, ...rest };
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  };

const at = ({ port }: { port: number }, rest = '/hook') => `http://127.0.0.1:${port}${rest}`;

test('receivers that work, fail, redirect, hang, never end and close: each delivery succeeds, is retried or is given up', async () => {
  await using good = startWebhookReceiver(() => new Response('ok'));
  await using failing = startWebhookReceiver((count) => new Response('', { status: count === 1 ? 500 : 200 }));
  await using elsewhere = startWebhookReceiver(() => new Response('ok'));
  await using redirecting = startWebhookReceiver(() => Response.redirect(at(elsewhere), 307));
  const waiting = Promise.withResolvers<Response>();
  await using hanging = startWebhookReceiver(() => waiting.promise);
  await using endless = startWebhookReceiver(endlessResponse);
  await using refusing = startWebhookReceiver(() => new Response('', { status: 404 }));
  await using closing = await startCloser();
  const receivers = { good, failing, redirecting, hanging, endless, refusing, closing };
  await using hostler = await startHostler({
    prepare: withAlerts({
      webhooks: Object.entries(receivers).map(([id, receiver]) => ({ id, url: at(receiver, '/hook?key=sesame') })),
      rules: Object.keys(receivers).map((id) => ({ id, when: always, notify: [id] })),
    }),
  });
  const settled = (id: string, state: string, error: RegExp | null) =>
    until(async () => {
      const way = await wayOf(hostler, id);
      return way?.state === state && (error === null ? way.error === null : error.test(way.error ?? '')) ? way : null;
    }, long);
  await settled('good', 'told', null);
  await settled('endless', 'told', null);
  await settled('redirecting', 'failed', /answers 307, a redirect; redirects are not followed/);
  await settled('refusing', 'failed', /^it answered 404$/);
  await settled('closing', 'waiting', /closed the connection without a response/);
  await settled('hanging', 'waiting', /did not answer within 10 s/);
  await settled('failing', 'told', null);
  expect((await hostler.get('/api/health')).status).toBe(200);

  expect(elsewhere.received).toEqual([]);
  for (const receiver of [good, endless, redirecting, refusing]) expect(receiver.received).toHaveLength(1);
  const [first, second] = failing.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'] ?? '');
  expect(second?.body).toBe(first?.body ?? '');
  expect(JSON.parse(good.received[0]?.body ?? '')).toMatchObject({
    type: 'alert.begun',
    id: good.received[0]?.headers['webhook-id'],
    data: { id: 'good', threshold: 0.001, unit: 'percent', machine: os.hostname() },
  });
  // No output contains a possible secret.
  const shown = JSON.stringify(await alertsOf(hostler)) + hostler.output();
  expect(shown).not.toContain('sesame');
  waiting.resolve(new Response('late'));
});

test('the read scope shows alerts; only an administrator sends a test or changes a rule', async () => {
  await using receiver = startWebhookReceiver(() => new Response('ok'));
  await using hostler = await startHostler({
    prepare: withAlerts({
      webhooks: [{ id: 'ops', url: at(receiver) }],
      rules: [{ id: 'quiet-one', when: never, notify: ['ops', 'mqtt'] }],
    }),
  });
  const secret = await createToken(hostler, 'reader', 'read');
  expect((await hostler.get('/api/alerts', { 'X-API-Token': secret })).status).toBe(200);
  expect((await hostler.get('/api/alerts', {})).status).toBe(401);
  expect((await postJson(hostler, '/api/alerts/test', { id: 'quiet-one' }, secret)).status).toBe(403);
  expect(receiver.received).toEqual([]);

  const tested = (await (await postJson(hostler, '/api/alerts/test', { id: 'quiet-one' })).json()) as { data: unknown };
  expect(tested.data).toEqual({
    id: 'quiet-one',
    results: [
      { way: 'ops', ok: true, error: null, answer: '' },
      { way: 'mqtt', ok: false, error: expect.stringContaining('no broker is configured'), answer: '' },
    ],
  });
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'alert.test' });
  for (const id of ['nothing', '../x', 'x'.repeat(33)])
    expect([404, 400]).toContain((await postJson(hostler, '/api/alerts/test', { id })).status);

  const set = async (value: unknown) =>
    await runHostler(['settings', 'set', 'alerts.rules', JSON.stringify(value)], hostler);
  const unknown = await set([{ id: 'a', when: { series: 'memroy', above: 1 } }]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('there is no series "memroy"; did you mean memory?'),
  ]);
  expect((await set([{ id: 'a', when: { series: 'memory' } }])).stderr).toContain('say either above or below');
  expect((await set([{ id: 'a', when: always, notify: ['pager'] }])).stderr).toContain(
    'there is no webhook or target "pager"',
  );
  const remote = await runHostler(
    ['settings', 'set', 'alerts.webhooks', JSON.stringify([{ id: 'ops', url: 'http://hooks.example/x' }])],
    hostler,
  );
  expect(remote.stderr).toContain('https://');
  const { stdout } = await runHostler(['alerts'], hostler);
  expect(stdout).toContain('Memory above 1000 %');
  // A changed rule takes effect at once.
  expect((await set([{ id: 'loud-one', when: always, notify: ['ops'] }])).code).toBe(0);
  await until(async () => (await wayOf(hostler, 'loud-one'))?.state === 'told' || null, long);
  expect((await alertsOf(hostler)).map(({ id }) => id)).toEqual(['loud-one']);
});

test('after a kill and restart no alert is delivered twice, and undelivered alerts are delivered', async () => {
  await using working = startWebhookReceiver(() => new Response('ok'));
  let isBack = false;
  await using broken = startWebhookReceiver(() => new Response('', { status: isBack ? 200 : 503 }));
  const prepare = withAlerts({
    webhooks: [
      { id: 'working', url: at(working) },
      { id: 'broken', url: at(broken) },
    ],
    rules: [
      { id: 'first', when: always, notify: ['working'] },
      { id: 'second', when: always, notify: ['broken'] },
    ],
  });
  const before = await startHostler({ prepare });
  await until(async () => (await wayOf(before, 'first'))?.state === 'told' || null, long);
  await until(async () => ((await wayOf(before, 'second'))?.tries ?? 0) > 0 || null, long);
  process.kill(before.pid, 'SIGKILL');
  isBack = true;
  const asked = broken.received.length;
  await using after = await startHostler({ directory: before.directory });
  await until(async () => (await wayOf(after, 'second'))?.state === 'told' || null, long);
  // It has evaluated the rule since, and the alert is unchanged.
  await until(async () => ((await alertsOf(after))[0]?.value ?? null) !== null || null, long);
  expect((await alertsOf(after)).map(({ state }) => state)).toEqual(['active', 'active']);
  expect(working.received).toHaveLength(1);
  expect(new Set(broken.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(broken.received.length).toBe(asked + 1);
});

test('with history off the values for the rules are read, and nothing is recorded', async () => {
  await using hostler = await startHostler({
    prepare: withAlerts({ rules: [{ id: 'a', when: always }] }, { history: { enabled: false, interval: 5 } }),
  });
  await until(async () => (await alertsOf(hostler))[0]?.state === 'active' || null, long);
  const { recording } = (await (await hostler.get('/api/history')).json()) as { recording: boolean };
  expect(recording).toBe(false);
});

describe.skipIf(!needs('openssl', 'python3'))('over TLS', () => {
  test('the examples in the documentation verify the signature', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler alerts-'));
    const tls = selfSigned(directory, 'receiver');
    await using receiver = startWebhookReceiver(() => new Response('ok'), tls);
    const url = `https://localhost:${receiver.port}/hook`;
    const key = path.join(directory, 'key');
    fs.writeFileSync(key, 'a key of one’s own, of more than sixty-four bytes, which is hashed before it is used\n', {
      mode: 0o600,
    });
    await using hostler = await startHostler({
      prepare: withAlerts({
        webhooks: [
          { id: 'trusted', url, caFile: tls.certificate },
          { id: 'own', url: `${url}?own`, caFile: tls.certificate, keyFile: key },
          { id: 'untrusted', url },
        ],
        rules: ['trusted', 'own', 'untrusted'].map((id) => ({ id, when: always, notify: [id] })),
      }),
    });
    await until(async () => (await wayOf(hostler, 'trusted'))?.state === 'told' || null, long);
    await until(async () => (await wayOf(hostler, 'own'))?.state === 'told' || null, long);
    // A receiver with an untrusted certificate gets nothing.
    await until(async () => /certificate/i.test((await wayOf(hostler, 'untrusted'))?.error ?? '') || null, long);
    expect(receiver.received).toHaveLength(2);
    const [message] = receiver.received.filter(({ path: where }) => where === '/hook');
    if (message === undefined) throw new Error('nothing came');
    const secret = (await runHostler(['alerts', 'secret', 'trusted'], hostler)).stdout.trim();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const changed = { ...message, body: message.body.replace('trusted', 'truster') };
    const old = { ...message, headers: { ...message.headers, 'webhook-timestamp': '1700000000' } };
    for (const judge of [byPython, byNode]) {
      expect(judge(directory, secret, message)).toBe(true);
      expect(judge(directory, secret, changed)).toBe(false);
      expect(judge(directory, secret, old)).toBe(false);
      expect(judge(directory, `whsec_${Buffer.alloc(32, 1).toString('base64')}`, message)).toBe(false);
    }
    expect((await runHostler(['alerts', 'secret', 'own'], hostler)).stderr).toContain('is signed with the key in');
    for (const place of ['/api/settings', '/api/alerts', '/api/data/alerts'])
      expect(await (await hostler.get(place)).text()).not.toContain(secret.slice(6));
    expect(hostler.output()).not.toContain(secret.slice(6));
    fs.rmSync(directory, { recursive: true, force: true });
  });
});

/** The first example of the documentation in this language. */
function exampleIn(language: string): string {
  const text = fs.readFileSync(path.join(root, 'docs', 'alerts.md'), 'utf8');
  const [, example] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  if (example === undefined) throw new Error(`there is no example in ${language}`);
  return example;
}

function judgedBy(program: string, args: string[], secret: string, message: ReceivedMessage): boolean {
  const { stdout, stderr } = spawnSync(program, args, {
    input: JSON.stringify({ secret, ...message }),
    encoding: 'utf8',
  });
  const answer = stdout.trim().toLowerCase();
  if (answer !== 'true' && answer !== 'false') throw new Error(`${program} says ${stdout}${stderr}`);
  return answer === 'true';
}

function byPython(_directory: string, secret: string, message: ReceivedMessage): boolean {
  const script = `${exampleIn('python')}
import json, sys
given = json.load(sys.stdin)
print(is_genuine(given["secret"], given["headers"], given["body"].encode()))
`;
  return judgedBy(findProgram('python3') ?? '', ['-I', '-c', script], secret, message);
}

function byNode(directory: string, secret: string, message: ReceivedMessage): boolean {
  const file = path.join(directory, 'check.mjs');
  fs.writeFileSync(
    file,
    `${exampleIn('js')}
import fs from 'node:fs';
const { secret, headers, body } = JSON.parse(fs.readFileSync(0, 'utf8'));
console.log(isGenuine(secret, headers, body));
`,
  );
  return judgedBy(findProgram('node') ?? '', [file], secret, message);
}

describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl'))('on the screen', () => {
  test('dunst shows an alert', async () => {
    const dunst = await startPrivateDunst();
    try {
      await using hostler = await startHostler({
        env: dunst.variables,
        prepare: withAlerts({ rules: [{ id: 'mem', name: 'Memory <b>full</b>', when: always, notify: ['screen'] }] }),
      });
      await until(async () => (await wayOf(hostler, 'mem'))?.state === 'told' || null, long);
      expect(dunst.history()).toEqual([
        {
          appname: 'Hostler',
          summary: 'Alert: Memory <b>full</b>',
          body: expect.stringMatching(/^Memory is at .* %, above 0\.001 %$/),
        },
      ]);
    } finally {
      await dunst.remove();
    }
  });
});

describe.skipIf(!needs('mosquitto', 'mosquitto_sub'))('home automation', () => {
  test('gets a binary sensor for each rule that names it', async () => {
    await using broker = await openBroker();
    await using witness = await startWitness(broker);
    await using hostler = await startHostler({
      prepare: withAlerts(
        {
          rules: [
            { id: 'mem', name: 'Memory', when: always, notify: ['mqtt'] },
            { id: 'low', when: never, notify: ['mqtt'] },
            { id: 'hidden', when: always },
          ],
        },
        { mqtt: { url: `mqtt://127.0.0.1:${broker.port}`, interval: 1 } },
      ),
    });
    const { id } = await connected(hostler);
    await until(async () => ((await alertsOf(hostler))[0]?.state === 'active' ? true : null), long);
    const components = await until(async () => {
      const found = componentsOf(await announced(witness, id));
      return found.alert_mem === undefined || found.alert_low === undefined ? null : found;
    }, long);
    expect(components.alert_mem).toMatchObject({ platform: 'binary_sensor', device_class: 'problem', name: 'Memory' });
    expect(components).not.toHaveProperty('alert_hidden');
    const topic = String(components.alert_mem?.state_topic);
    await until(async () => {
      const { alert_mem, alert_low } = JSON.parse(await payloadAt(witness, topic)) as Record<string, unknown>;
      return alert_mem === true && alert_low === false ? true : null;
    }, long);
  });
});
