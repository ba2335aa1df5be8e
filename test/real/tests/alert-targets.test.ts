// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { type RunningHostler, root, runHostler, startHostler, until } from '../harness/service.ts';
import { selfSigned } from '../harness/tls.ts';
import { type ReceivedMessage, startCloser, startWebhookReceiver } from '../harness/webhook-receivers.ts';

setDefaultTimeout(300_000);

const python = '/usr/bin/python3';
const harness = (name: string) => path.join(root, 'test', 'real', 'harness', name);
const key = 'k'.repeat(30);
const token = 't'.repeat(30);

/** Whether the system's Python has a module; the tests install nothing. */
function hasModule(name: string, debian: string): boolean {
  if (spawnSync(python, ['-c', `import ${name}`]).status === 0) return true;
  if (process.env.CI === 'true')
    throw new Error(`${debian} is not installed: with CI=true every real part has to be there.`);
  console.warn(`skipped: ${debian} is not installed`);
  return false;
}

/** A service with these targets, whose URLs are in its file, unsealed. */
const withTargets =
  (urls: Record<string, string>, rules: unknown[] = [], more: Record<string, object> = {}) =>
  (directory: string) => {
    for (const name of ['config', 'state']) fs.mkdirSync(path.join(directory, name), { recursive: true, mode: 0o700 });
    const targets = Object.keys(urls).map((id) => ({ id, ...more[id] }));
    const settings = { history: { interval: 5 }, alerts: { targets, rules } };
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    fs.writeFileSync(path.join(directory, 'state', 'alert-targets'), JSON.stringify(urls), { mode: 0o600 });
  };

async function sendTest(
  hostler: RunningHostler,
  id: string,
): Promise<{ ok: boolean; error: string | null; answer: string }> {
  const { stdout } = await runHostler(['alerts', 'test', id, '--json'], hostler);
  return JSON.parse(stdout).results[0];
}

async function startSmtp(mode: string, directory: string) {
  const { certificate, key: keyFile } = selfSigned(directory, 'localhost');
  const child = spawn(python, [harness('smtp.py'), mode, certificate, keyFile]);
  const said: Record<string, unknown>[] = [];
  child.stderr.on('data', (chunk) => process.stderr.write(chunk));
  readline.createInterface(child.stdout).on('line', (line) => said.push(JSON.parse(line)));
  const { port } = await until(() => said.find((one): one is { port: number } => 'port' in one) ?? null);
  return {
    port,
    certificate,
    logins: () => said.filter((one) => 'login' in one),
    messages: () => said.filter((one) => 'content' in one) as { content: string; recipients: string[]; tls: boolean }[],
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Header and text of a message, as Python's own library reads them. */
function readMail(content: string): { subject: string; text: string; headers: Record<string, string> } {
  const program =
    'import sys,json,email,email.policy as p; m=email.message_from_string(sys.stdin.read(),policy=p.default); ' +
    'print(json.dumps({"subject":m["subject"],"text":m.get_content(),"headers":dict((k.lower(),str(v)) for k,v in m.items()),"defects":len(m.defects)}))';
  return JSON.parse(spawnSync(python, ['-c', program], { input: content, encoding: 'utf8' }).stdout);
}

const scratch = () => fs.mkdtempSync(path.join(process.env.TMPDIR ?? '/tmp', 'hostler-targets-'));

describe.skipIf(!hasModule('apprise', 'apprise'))('the same request as that of Apprise:', () => {
  const cases: Record<string, { url: (at: string, server: string) => string; apprise?: (at: string) => string }> = {
    ntfy: { url: (at) => `ntfy://anna:w%40rd@${at}/topic` },
    gotify: { url: (at) => `gotify://${at}/below/AbCdEfGhIjKlMnO` },
    telegram: {
      url: (_at, server) => `tgram://123456789:abcdefg_hijklmnop/12315544?server=${server}`,
      apprise: () => 'tgram://123456789:abcdefg_hijklmnop/12315544',
    },
    slack: {
      url: (_at, server) => `slack://hostler@T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ?server=${server}`,
      apprise: () => 'slack://hostler@T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ?footer=no&image=no',
    },
    'bot of slack': {
      url: (_at, server) => `slack://hostler@xoxb-1234567890-1234567890-abcdefghij/C01234567?server=${server}`,
      apprise: () => 'slack://hostler@xoxb-1234567890-1234567890-abcdefghij/+C01234567?footer=no&image=no',
    },
    discord: {
      url: (_at, server) => `discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js?server=${server}`,
      apprise: () => 'discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js?avatar=no&footer=no',
    },
    pushover: {
      url: (_at, server) => `pover://${key}@${token}/phone?server=${server}`,
      apprise: () => `pover://${key}@${token}/phone`,
    },
    matrix: { url: (at) => `matrix://anna:word@${at}/!room:localhost` },
    json: { url: (at) => `json://anna:word@${at}/a/b?+X-Own=one` },
  };

  test.each(Object.keys(cases))('%s', async (name) => {
    const answer = {
      access_token: 'syt',
      user_id: '@anna:localhost',
      home_server: 'localhost',
      room_id: '!room:localhost',
    };
    await using receiver = startWebhookReceiver(() =>
      name === 'slack' ? new Response('ok') : Response.json({ ...answer, ok: true, event_id: '$1', joined_rooms: [] }),
    );
    const at = `localhost:${receiver.port}`;
    const server = `http://${at}`;
    const given = cases[name];
    if (given === undefined) throw new Error('no such case');
    const url = given.url(at, server);
    const ours: ReceivedMessage[] = [];
    await using hostler = await startHostler({ prepare: withTargets({ target: url }) });
    expect(await sendTest(hostler, 'target')).toMatchObject({ ok: true, error: null });
    ours.push(...receiver.received.splice(0));
    const message = ours.find(({ body }) => /This is a test|This\+is/.test(body));
    if (message === undefined) throw new Error(`no message arrived: ${JSON.stringify(ours)}`);
    const [title = '', body = ''] = partsOf(message);
    const sent = spawn(python, [harness('apprise-send.py'), given.apprise?.(at) ?? url, server, title, body], {
      stdio: 'inherit',
    });
    const code = await new Promise((resolve) => sent.once('exit', resolve));
    // Apprise 1.2 compares the bytes that a webhook of Slack answers with a text, so its exit code says nothing there.
    if (name !== 'slack') expect(code).toBe(0);
    const theirs = receiver.received.find((one) => partsOf(one)[1] === body);
    if (theirs === undefined) throw new Error(`Apprise sent nothing alike: ${JSON.stringify(receiver.received)}`);
    // The library below Apprise takes the key of the user for a user name.
    if (name === 'pushover') delete theirs.headers.authorization;
    expect(compared(message)).toEqual(compared(theirs));
  });
});

/** Title and text, wherever a service has them. */
function partsOf({ body, headers }: ReceivedMessage): string[] {
  if (headers['content-type']?.includes('urlencoded')) {
    const form = new URLSearchParams(body);
    return [form.get('title') ?? '', form.get('message') ?? ''];
  }
  const { title, message, text, content, attachments, body: matrix } = JSON.parse(body || '{}');
  if (attachments?.[0] !== undefined) return [attachments[0].title, attachments[0].text];
  if (message !== undefined) return [title, message];
  return String(text ?? content ?? matrix ?? '')
    .replace(/<\/?b>|^# /g, '')
    .split(/\r?\n/);
}

/** What both must agree on: the address, the credentials, and the fields that carry the message. */
function compared(message: ReceivedMessage) {
  const { headers, body } = message;
  const data = headers['content-type']?.includes('urlencoded')
    ? Object.fromEntries(new URLSearchParams(body))
    : JSON.parse(body);
  const fields = ['topic', 'chat_id', 'username', 'token', 'user', 'device', 'msgtype', 'version', 'type', 'channel'];
  const names = ['authorization', 'x-gotify-key', 'x-own', 'content-type'];
  return {
    path: message.path
      .replace(/\?wait=true$/, '')
      // Apprise 1.2 has the first version of the same calls, without an id.
      .replace(/\/_matrix\/client\/(?:v3|r0)/, '/matrix')
      .replace(/(send\/m\.room\.message).*/, '$1')
      .replace('%21', '!'),
    headers: Object.fromEntries(names.map((name) => [name, headers[name]?.replace(/;.*/, '')])),
    fields: Object.fromEntries(
      fields.flatMap((name) => (data[name] === undefined ? [] : [[name, String(data[name])]])),
    ),
    parts: partsOf(message),
  };
}

test('services that refuse, hang, redirect, close and limit: each answer is reported, without a secret', async () => {
  await using elsewhere = startWebhookReceiver(() => new Response('ok'));
  const waiting = Promise.withResolvers<Response>();
  await using refusing = startWebhookReceiver(() =>
    Response.json({ errorDescription: 'bad sesame-token' }, { status: 401 }),
  );
  await using redirecting = startWebhookReceiver(() => Response.redirect(`http://127.0.0.1:${elsewhere.port}/`, 302));
  await using hanging = startWebhookReceiver(() => waiting.promise);
  await using closing = await startCloser();
  await using limiting = startWebhookReceiver((count) =>
    count === 1 ? new Response('slow down', { status: 429, headers: { 'Retry-After': '20' } }) : new Response('fine'),
  );
  const servers = { refusing, redirecting, hanging, closing, limiting };
  const urls = Object.fromEntries(
    Object.entries(servers).map(([id, { port }]) => [id, `gotify://127.0.0.1:${port}/sesame-token`]),
  );
  const rule = { when: { series: 'memory', above: 0.001 }, notify: ['limiting'] };
  const rules = [1, 2, 3].map((number) => ({ ...rule, id: `rule-${number}`, priority: 'high' }));
  await using hostler = await startHostler({ prepare: withTargets(urls, rules) });
  const results = await Promise.all(
    ['refusing', 'redirecting', 'hanging', 'closing'].map(async (id) => [id, (await sendTest(hostler, id)).error]),
  );
  expect(Object.fromEntries(results)).toEqual({
    refusing: 'it answered 401: {"errorDescription":"bad …"}',
    redirecting: expect.stringContaining('it answers 302, a redirect; redirects are not followed'),
    hanging: 'it did not answer within 20 s',
    closing: 'it closed the connection without a response',
  });
  expect(elsewhere.received).toEqual([]);
  expect((await runHostler(['alerts', 'test', 'refusing'], hostler)).code).toBe(1);
  // Three alerts in one message; refused once, and sent again when the service allows it.
  await until(() => (limiting.received.length >= 2 ? true : null), 120_000);
  const [first, second] = limiting.received;
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    title: expect.stringContaining('alerts, 3 begun'),
    priority: 8,
  });
  expect(JSON.parse(second?.body ?? '').message.split('\n')).toHaveLength(3);
  const shown = await until(async () => {
    const text = JSON.stringify(await (await hostler.get('/api/alerts')).json());
    return text.includes('"told":null') ? null : text;
  });
  expect(shown + hostler.output()).not.toContain('sesame');
  waiting.resolve(new Response('late'));
});

test('a target is added by a command that does not show its URL, tested and removed', async () => {
  await using receiver = startWebhookReceiver(() => new Response('{"id":1}'));
  await using hostler = await startHostler({ prepare: withTargets({}) });
  const url = `gotify://127.0.0.1:${receiver.port}/sesame-token`;
  const run = (args: string[], input = '') => runHostler(args, { directory: hostler.directory, input });
  expect((await run(['alerts', 'add', 'phone'], 'gotify://example.com/sesame\n')).stderr).not.toContain('sesame');
  const added = await run(['alerts', 'add', 'phone'], `${url}\n`);
  expect([added.code, added.stdout + added.stderr]).toEqual([0, expect.not.stringContaining('sesame')]);
  const file = path.join(hostler.directory, 'state', 'alert-targets');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const listed = await run(['alerts', 'targets']);
  expect(listed.stdout).toContain(`gotify://127.0.0.1:${receiver.port}/…`);
  const tested = await until(async () => {
    const result = await run(['alerts', 'test', 'phone']);
    return result.code === 0 ? result : null;
  });
  expect(tested.stdout).toContain('it answered {"id":1}');
  const settings = (await run(['settings', 'get', 'alerts', '--json'])).stdout;
  expect(settings).toContain('"phone"');
  expect(settings + listed.stdout + hostler.output()).not.toContain('sesame');
  expect((await run(['alerts', 'remove', 'phone'])).code).toBe(0);
  expect(fs.existsSync(file)).toBe(false);
});

describe.skipIf(!hasModule('aiosmtpd', 'python3-aiosmtpd'))('a real SMTP server', () => {
  const account = 'anna:pa%3Ass%20w%C3%B6rd';
  test.each([
    ['starttls', 'mailtos', 'PLAIN'],
    ['implicit', 'mailtos', 'PLAIN'],
    ['login', 'mailtos', 'LOGIN'],
  ])('%s receives a message', async (mode, scheme, mechanism) => {
    const directory = scratch();
    using server = await startSmtp(mode, directory);
    const search = `?from=nas@example.org&to=anna@example.org,ops@example.org${mode === 'implicit' ? '&mode=ssl' : ''}`;
    const urls = {
      mail: `${scheme}://${account}@localhost:${server.port}${search}`,
      wrong: `${scheme}://anna:wrong-word@localhost:${server.port}${search}`,
      later: `${scheme}://${account}@localhost:${server.port}${search.replace('ops@', 'later@')}`,
      never: `${scheme}://${account}@localhost:${server.port}${search.replace('ops@', 'never@')}`,
      untrusted: `${scheme}://${account}@localhost:${server.port}${search}`,
    };
    const trusted = { caFile: server.certificate };
    const more = { mail: trusted, wrong: trusted, later: trusted, never: trusted };
    await using hostler = await startHostler({ prepare: withTargets(urls, [], more) });
    expect(await sendTest(hostler, 'mail')).toEqual({
      ...{ way: 'mail', ok: true, error: null },
      answer: '250 2.0.0 Ok: queued as 4711',
    } as never);
    const [message] = server.messages();
    expect(message).toMatchObject({ recipients: ['anna@example.org', 'ops@example.org'], tls: true });
    expect(server.logins()[0]).toEqual({ login: 'anna', mechanism });
    const read = readMail(message?.content ?? '');
    expect(read).toMatchObject({ subject: expect.stringContaining('Test: mail'), defects: 0 });
    expect(read.text).toContain('This is a test from');
    expect(read.headers).toMatchObject({ to: 'anna@example.org, ops@example.org', 'auto-submitted': 'auto-generated' });
    expect((await sendTest(hostler, 'wrong')).error).toMatch(/^it answered the login with 535: 535/);
    expect((await sendTest(hostler, 'later')).error).toContain(
      'it answered a recipient with 451: 451 4.7.1 Greylisted',
    );
    expect((await sendTest(hostler, 'never')).error).toContain('it answered a recipient with 550');
    const { error } = await sendTest(hostler, 'untrusted');
    expect(error).toMatch(/certificate/i);
    expect(server.messages()).toHaveLength(1);
    expect(hostler.output()).not.toMatch(/pa:ss|wrong-word/);
  });

  test('without encryption a password is never sent; a message without one is, within the own network', async () => {
    using server = await startSmtp('plain', scratch());
    const urls = {
      secret: `mailto://${account}@localhost:${server.port}?from=nas@example.org`,
      open: `mailto://nas@localhost:${server.port}?from=nas@example.org&to=anna@example.org`,
    };
    await using hostler = await startHostler({ prepare: withTargets(urls) });
    expect((await sendTest(hostler, 'secret')).error).toContain(
      'it offers no encryption (STARTTLS), so nothing was sent',
    );
    expect(server.logins()).toEqual([]);
    expect(await sendTest(hostler, 'open')).toMatchObject({ ok: true });
    expect(server.messages()).toHaveLength(1);
  });
});
