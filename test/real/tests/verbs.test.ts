import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { actions } from '../../../src/features/index.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

let hostler: RunningHostler;
let reading: string;
beforeAll(async () => {
  hostler = await startHostler();
  const made = await run('token', 'create', '--name', 'reading', '--scope', 'read', '--json');
  reading = (JSON.parse(made.stdout) as { token: string }).token;
});
afterAll(async () => void (await hostler.stop()));

const run = (...args: string[]) => runHostler(args, { directory: hostler.directory });

async function post(route: string, body?: unknown, token = hostler.token) {
  const response = await fetch(`${hostler.base}${route}`, {
    method: 'POST',
    headers: { 'X-API-Token': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as { error?: string; data?: unknown } };
}

/** With data on standard input. */
async function pipe(text: string, ...args: string[]) {
  const { code, stdout, stderr } = await runHostler(args, { directory: hostler.directory, input: text });
  return { code, output: stdout + stderr };
}

test('the service lists actions', () => expect(actions).not.toBeEmpty());

describe.each(actions.map((action) => [action.name, action] as const))('%s over HTTP', (name, action) => {
  const route = `/api/${name.replace('.', '/')}`;

  test('exists, and needs a token with its scope', async () => {
    expect((await fetch(`${hostler.base}${route}`, { method: 'POST' })).status).toBe(401);
    // A readable one may require parameters.
    expect(action.readAt === route ? [200, 400] : [405]).toContain((await hostler.get(route)).status);
    const { status } = await post(route, action.example, reading);
    expect(status === 403).toBe(!action.scopes.includes('read'));
  });

  test('refuses invalid input with the error of the other transports', async () => {
    expect((await post(`${route}?verbose=1`)).body.error).toStartWith('There is no query parameter "verbose"');
    const list = await post(route, []);
    expect(list.status).toBe(400);
    const form = await fetch(`${hostler.base}${route}`, {
      method: 'POST',
      headers: { 'X-API-Token': hostler.token, 'Content-Type': 'text/plain' },
      body: 'action=PAUSE',
    });
    expect(form.status).toBe(415);
    const most = action.inputBytes ?? 262_144;
    const large = await post(route, { text: 'x'.repeat(most) });
    expect(large).toEqual({ status: 413, body: { error: `A body has at most ${most} bytes` } });
  });
});

test('one mistake has one error message on every transport', async () => {
  const sentence = 'media.control: action must be a text';
  expect((await post('/api/media/control', { action: 1 })).body.error).toBe(sentence);
  const socket = await connectSocket(hostler);
  expect((await socket.ask('MEDIA_CONTROL', { action: 1 })).message).toBe(sentence);
  socket.end();
  const typed = await run('do', 'media.control', '{"action":1}');
  expect(typed).toMatchObject({ code: 2, stdout: '' });
  expect(typed.stderr).toStartWith(`hostler: ${sentence}\n`);
});

test('an unavailable action says so, with another status than a mistake', async () => {
  const { status, body } = await post('/api/notification/send', { title: 'hello' });
  expect(status).toBe(501);
  const typed = await run('do', 'notification.send', 'title=hello');
  expect(typed).toMatchObject({ code: 1, stderr: `hostler: ${body.error}\n` });
});

describe.skipIf(!needs('curl', 'sh'))('with curl', () => {
  const curl = (...args: string[]) =>
    execFileSync('curl', ['-sS', '-H', `X-API-Token: ${hostler.token}`, ...args], { encoding: 'utf8' });

  test('fields and limit select a part of a long reply', () => {
    const names = JSON.parse(curl(`${hostler.base}/api/data/processes?fields=id,name&limit=3`)) as object[];
    expect(names).toHaveLength(3);
    for (const each of names) expect(Object.keys(each).sort()).toEqual(['id', 'name']);
    const directories = JSON.parse(curl('-XPOST', `${hostler.base}/api/files/directories?fields=key`));
    expect(directories.data[0]).toEqual({ key: 'home' });
    expect(JSON.parse(curl(`${hostler.base}/api/modules?fields=name&limit=1`))).toHaveLength(1);
  });

  test('sort comes before limit, on every list', () => {
    const read = (route: string) => JSON.parse(curl(`${hostler.base}${route}`));
    const ids = read('/api/data/processes?sort=-id&limit=3').map(({ id }: { id: number }) => id);
    expect([ids.length, ids[0] > ids[1] && ids[1] > ids[2] && ids[2] > 1]).toEqual([3, true]);
    expect(read('/api/data/processes?sort=id&limit=1&fields=id')).toEqual([{ id: 1 }]);
    expect(read('/api/modules?sort=-name&limit=1&fields=name')).toEqual([{ name: 'updates' }]);
    expect(read('/api/tokens?sort=name&limit=1')).toHaveLength(1);
    expect(read('/api/clients?sort=since')).toEqual([]);
    expect(read('/api/sessions?sort=name')).toEqual([]);
    expect(read('/api/processes/busiest?sort=-cpu.cpu_usage&limit=1').cpu).toHaveLength(1);
    expect(read('/api/data/processes?sort=pid').error).toStartWith('processes has no field "pid": there are id, ');
  });

  test('an unknown parameter is refused, after the token', () => {
    expect(JSON.parse(curl(`${hostler.base}/api/data/cpu?feilds=usage`))).toEqual({
      error: 'There is no query parameter "feilds" at /api/data/cpu: it takes fields, sort, limit',
    });
    for (const route of ['/api', '/api/health', '/api/openapi.json', '/metrics', '/api/tokens', '/api/history'])
      expect(curl('-w', '%{http_code}', `${hostler.base}${route}?x=1`)).toEndWith('400');
    expect(execFileSync('curl', ['-s', '-w', '%{http_code}', `${hostler.base}/api/data/cpu?x=1`]).toString()).toEndWith(
      '401',
    );
  });
});

describe('hostler do', () => {
  test('lists available and unavailable actions, with the reason', async () => {
    const { code, stdout } = await run('do');
    expect(code).toBe(0);
    const [possible = '', not = ''] = stdout.split('\nUnavailable on this machine:\n');
    expect(possible).toMatch(/^files\.directories +Lists the directories/m);
    expect(not).toMatch(/^notification\.send +There is no desktop session/m);
    const states = JSON.parse((await run('do', '--json')).stdout) as { name: string; route: string }[];
    expect(states.map(({ name }) => name)).toEqual(actions.map(({ name }) => name));
    expect(states.find(({ name }) => name === 'media.control')?.route).toBe('/api/media/control');
  });

  test('takes pairs, JSON, or standard input', async () => {
    const expected = { code: 0, stdout: expect.stringContaining(`path  ${hostler.directory}/home\n`) };
    expect(await run('do', 'files.directory', 'base=home')).toMatchObject(expected);
    expect(await run('do', 'files.directory', '{"base":"home"}')).toMatchObject(expected);
    const piped = await pipe('{"base":"home"}\n', 'do', 'files.directory', '-', '--json');
    expect(JSON.parse(piped.output)).toEqual({
      message: '',
      data: { key: 'home', name: expect.any(String), path: `${hostler.directory}/home` },
    });
  });

  test('converts each field to its type', async () => {
    expect((await run('do', 'settings.update', 'logLevel=DEBUG', 'systemTray=true')).code).toBe(0);
    const { data } = JSON.parse((await run('do', 'settings.get', '--json')).stdout) as { data: object };
    expect(data).toMatchObject({ logLevel: 'DEBUG', systemTray: true });
    // A text that looks like a number stays a text.
    expect((await run('do', 'files.directory', 'base=12')).stderr).toContain('"12"');
  });

  test.each([
    [['nosuch.action'], 'There is no action "nosuch.action"'],
    [['media.control'], 'media.control: action is missing\n(for example: hostler do media.control action=PAUSE)'],
    [
      ['media.control', 'actoin=PAUSE'],
      'media.control has an unknown field "actoin": it accepts action, value, player',
    ],
    [['media.control', '{"actoin":"PAUSE"}'], 'media.control has an unknown field "actoin"'],
    [['media.control', 'PAUSE'], 'media.control: "PAUSE" is neither a key=value pair nor a JSON object'],
    [['media.control', '{"action"'], 'media.control: the input is not valid JSON'],
    [['media.control', 'action=PAUSE', 'action=PLAY'], 'media.control: "action" was given twice'],
    [['media.control', '{}', 'action=PLAY'], 'give one JSON object, or key=value pairs, but not both'],
    [['power.lock', 'delay=soon'], 'power.lock: delay must be a number'],
    [['settings.update', 'logLevel=FOO'], 'logLevel'],
  ])('%j is wrong usage', async (args, sentence) => {
    const { code, stderr } = await run('do', ...args);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

  test('reads no more of standard input than the service accepts', async () => {
    const { code, output } = await pipe('x'.repeat(10_000_000), 'do', 'files.directory', '-');
    expect({ code, output }).toEqual({ code: 2, output: 'hostler: A body has at most 262144 bytes\n' });
  });

  test('names and values are completed, also where the shell splits at "="', async () => {
    const complete = async (...words: string[]) =>
      (await run('complete', '--', ...words)).stdout.split('\n').filter((line) => line !== '');
    expect(await complete('do', 'media')).toEqual(['media.control', 'media.play', 'media.stop']);
    expect(await complete('do', 'media.control', '')).toEqual(['action=', 'value=', 'player=']);
    expect(await complete('do', 'media.control', 'action=PLAY', '')).toEqual(['value=', 'player=']);
    expect(await complete('do', 'media.control', 'action=PLAY')).toEqual(['action=PLAY', 'action=PLAY_PAUSE']);
    expect(await complete('do', 'media.control', 'action', '=', 'PLAY')).toEqual(['PLAY', 'PLAY_PAUSE']);
    expect(await complete('do', 'power.lock', 'force=')).toEqual(['force=true', 'force=false']);
  });
});

test('without a service the error says how to start one', async () => {
  const { code, stderr } = await runHostler(['do', 'power.lock']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'hostler: The service is not running; start it with "hostler serve", or now and at every login with "hostler service install"\n',
  });
});
