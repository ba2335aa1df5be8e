import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { budgets } from '../../../src/access/limits/budgets.ts';
import { until } from '../../harness/until.ts';
import { createToken, type RunningHostler, runHostler, startHostler } from '../harness/service.ts';
import {
  connectSocket,
  createSocketClients,
  isUpdate,
  type Message,
  type SocketClient,
} from '../harness/socket-client.ts';

setDefaultTimeout(120_000);

let hostler: RunningHostler;

beforeAll(async () => {
  hostler = await startHostler();
});
afterAll(() => hostler?.stop());

const connect = createSocketClients(() => hostler);

const updatesOf = (client: SocketClient, module: string) => client.messages.filter(isUpdate(module));
const refusal = ({ id, type, subtype }: Message) => ({ id, type, subtype });

async function health(): Promise<number> {
  return (await hostler.get('/api/health')).status;
}

describe('modules', () => {
  test('GET_DATA sends each module once, and its reply after them', async () => {
    const client = await connect();
    const data = { modules: ['memory', 'cpu', 'memory'] };
    const answer = await client.ask('GET_DATA', data);
    expect(answer).toEqual({ id: 'ask-1', type: 'DATA_GET', subtype: 'NONE', data });
    expect(client.messages.map(({ type, module }) => module ?? type).sort()).toEqual(['DATA_GET', 'cpu', 'memory']);
    expect(client.messages.at(-1)?.type).toBe('DATA_GET');
    const memory = client.messages.find(isUpdate('memory'));
    expect(Object.keys(memory ?? {}).sort()).toEqual(['data', 'id', 'module', 'subtype', 'type']);
    expect(memory).toMatchObject({ id: 'system', subtype: 'NONE', data: { virtual: { total: expect.any(Number) } } });
  });

  test('modules that do not exist are skipped and named', async () => {
    const client = await connect();
    const answer = await client.ask('GET_DATA', { modules: ['memory', 'nothing'] });
    expect(answer.type).toBe('DATA_GET');
    expect(answer.message).toContain('"nothing"');
    expect(client.messages.filter(({ type }) => type === 'DATA_UPDATE').map(({ module }) => module)).toEqual([
      'memory',
    ]);
  });

  test('a listener gets the current payload at once, then changes, until it unregisters', async () => {
    const client = await connect();
    const answer = await client.ask('REGISTER_DATA_LISTENER', { modules: ['cpu', 'memory'], interval: 1000 });
    expect(answer).toMatchObject({
      type: 'DATA_LISTENER_REGISTERED',
      data: { modules: ['cpu', 'memory'], interval: 1000 },
    });
    await until(() => updatesOf(client, 'cpu').length >= 3, 'three updates of cpu');
    expect(client.messages[0]?.type).toBe('DATA_LISTENER_REGISTERED');
    expect(await client.ask('UNREGISTER_DATA_LISTENER')).toMatchObject({
      type: 'DATA_LISTENER_UNREGISTERED',
      data: null,
    });
    const before = client.messages.length;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(client.messages.slice(before)).toEqual([]);
    expect(refusal(await client.ask('UNREGISTER_DATA_LISTENER'))).toMatchObject({ subtype: 'LISTENER_NOT_REGISTERED' });
  });

  test('an unknown module is refused and nothing changes; one that is absent here is not', async () => {
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'] });
    const refused = await client.ask('REGISTER_DATA_LISTENER', { modules: ['cpu', 'nothing', 'disk'] });
    expect(refusal(refused)).toMatchObject({ subtype: 'BAD_REQUEST' });
    expect(refused.data).toEqual({ unknownModules: ['nothing', 'disk'] });
    expect(refused.message).toStartWith('There is no module "nothing", "disk"; available: ');
    await until(() => updatesOf(client, 'memory').length >= 3, 'further updates of the earlier registration');
    expect(updatesOf(client, 'cpu')).toEqual([]);
    expect(
      await client.ask('REGISTER_DATA_LISTENER', { modules: ['chat', 'discord', 'battery', 'media'] }),
    ).toMatchObject({
      type: 'DATA_LISTENER_REGISTERED',
      data: { modules: ['chat', 'discord', 'battery', 'media'] },
    });
  });

  test('GET_DATA with sort and limit sends that part, under its own id', async () => {
    const client = await connect();
    const wanted = { modules: ['processes', 'nothing'], sort: '-id', limit: 2, fields: ['id'] };
    client.send('GET_DATA', wanted, { id: 'part' });
    const answer = await client.until(({ type }) => type === 'DATA_GET', 'the reply');
    expect(answer).toMatchObject({ type: 'DATA_GET', data: { modules: ['processes', 'nothing'] } });
    expect(answer.message).toContain('"nothing"');
    const updates = updatesOf(client, 'processes');
    expect(updates.map(({ id }) => id)).toEqual(['part']);
    const [last = 0, before = 0, ...others] =
      (updates[0]?.data as { id: number }[] | undefined)?.map(({ id }) => id) ?? [];
    expect([last > before && before > 1, others]).toEqual([true, []]);
    const refused = await client.ask('GET_DATA', { modules: ['processes'], sort: 'pid' });
    expect(refused).toMatchObject({ type: 'ERROR', subtype: 'BAD_REQUEST' });
    expect(refused.message).toStartWith('processes has no field "pid": there are id, ');
  });

  test('an event that only reads takes sort and limit', async () => {
    const client = await connect();
    for (const name of ['b', 'c', 'a']) fs.writeFileSync(path.join(hostler.directory, 'home', name), name);
    const answer = await client.ask('GET_FILES', { base: 'home', sort: '-name', limit: 1, fields: ['name'] });
    expect(answer).toMatchObject({ type: 'FILES', data: [{ name: 'c' }] });
  });

  test('a second registration replaces the first', async () => {
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['cpu'] });
    await client.until(isUpdate('cpu'), 'cpu');
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'], interval: 1000 });
    const before = updatesOf(client, 'cpu').length;
    await until(() => updatesOf(client, 'memory').length >= 3, 'memory');
    expect(updatesOf(client, 'cpu').length).toBe(before);
  });

  test('a client that disconnects does not affect the others', async () => {
    const [stays, leaves] = [await connect(), await connect()];
    for (const client of [stays, leaves])
      await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'], interval: 1000 });
    await leaves.until(isUpdate('memory'), 'memory');
    leaves.end();
    const before = updatesOf(stays, 'memory').length;
    await until(() => updatesOf(stays, 'memory').length >= before + 2, 'more updates');
  });

  test('an unchanged payload is sent once', async () => {
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['gpus', 'memory'], interval: { gpus: 250, memory: 1000 } });
    await until(() => updatesOf(client, 'memory').length >= 3, 'some time');
    const payloads = updatesOf(client, 'gpus').map(({ data }) => JSON.stringify(data));
    expect(payloads.length).toBeGreaterThan(0);
    expect(payloads.filter((payload, index) => payload === payloads[index - 1])).toEqual([]);
  });
});

describe('invalid messages are refused, and the connection stays', () => {
  const cases: [what: string, frame: string, expected: { id: string; subtype: string }][] = [
    ['no JSON', 'nonsense', { id: '', subtype: 'BAD_JSON' }],
    ['an empty frame', '', { id: '', subtype: 'BAD_JSON' }],
    ['half of a message', '{"id":"a","token"', { id: '', subtype: 'BAD_JSON' }],
    ['a list', '[1,2]', { id: '', subtype: 'BAD_REQUEST' }],
    ['null', 'null', { id: '', subtype: 'BAD_REQUEST' }],
    ['a text', '"x"', { id: '', subtype: 'BAD_REQUEST' }],
    ['an id that is a number', '{"id":7,"event":"GET_DATA"}', { id: '', subtype: 'BAD_REQUEST' }],
    ['an endless id', `{"id":"${'x'.repeat(2000)}"}`, { id: '', subtype: 'BAD_REQUEST' }],
    ['no token', '{"id":"a","event":"GET_DATA"}', { id: 'a', subtype: 'MISSING_TOKEN' }],
    ['an empty token', '{"id":"a","token":"","event":"GET_DATA"}', { id: 'a', subtype: 'MISSING_TOKEN' }],
    ['a token that is none', '{"id":"a","token":"wrong","event":"GET_DATA"}', { id: 'a', subtype: 'BAD_TOKEN' }],
    ['a token of another kind', '{"id":"a","token":{},"event":"GET_DATA"}', { id: 'a', subtype: 'BAD_TOKEN' }],
    ['no event', '{"id":"a","token":"$"}', { id: 'a', subtype: 'BAD_REQUEST' }],
    ['an unknown event', '{"id":"a","token":"$","event":"__proto__"}', { id: 'a', subtype: 'UNKNOWN_EVENT' }],
    [
      'data of another kind',
      '{"id":"a","token":"$","event":"GET_DATA","data":[]}',
      { id: 'a', subtype: 'BAD_REQUEST' },
    ],
    ['no modules', '{"id":"a","token":"$","event":"GET_DATA"}', { id: 'a', subtype: 'MISSING_MODULES' }],
    [
      'modules: null',
      '{"id":"a","token":"$","event":"GET_DATA","data":{"modules":null}}',
      { id: 'a', subtype: 'MISSING_MODULES' },
    ],
    [
      'modules of another kind',
      '{"id":"a","token":"$","event":"GET_DATA","data":{"modules":[1]}}',
      { id: 'a', subtype: 'BAD_REQUEST' },
    ],
    [
      'an action with wrong data',
      '{"id":"a","token":"$","event":"POWER_LOCK","data":{"delay":"soon"}}',
      { id: 'a', subtype: 'BAD_REQUEST' },
    ],
    [
      'nesting of 10,000',
      `{"id":"a","token":"$","event":"GET_DATA","data":{"modules":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
      { id: '', subtype: 'BAD_REQUEST' },
    ],
  ];

  test.each(cases)('%s', async (_what, frame, expected) => {
    const client = await connect();
    client.frame(1, frame.replace('"$"', JSON.stringify(hostler.token)));
    const answer = await client.until(({ type }) => type === 'ERROR', 'a refusal');
    expect(refusal(answer)).toEqual({ type: 'ERROR', ...expected });
    expect(Object.keys(answer).sort()).toEqual(['data', 'id', 'message', 'subtype', 'type']);
    expect((await client.ask('GET_DATA', { modules: ['memory'] })).type).toBe('DATA_GET');
  });

  test('nesting too deep for any parser', async () => {
    const client = await connect();
    await client.ask('GET_DATA', { modules: [] });
    client.frame(1, '['.repeat(900_000));
    expect(refusal(await client.until(({ type }) => type === 'ERROR', 'a refusal'))).toMatchObject({
      subtype: 'BAD_REQUEST',
    });
    expect(await health()).toBe(200);
  });

  test('a binary frame', async () => {
    const client = await connect();
    client.frame(2, new Uint8Array([1, 2, 3]));
    expect(await client.closed).toEqual({ code: 1003, reason: 'messages are text frames of JSON' });
  });

  test('a message with a missing or null id is answered without one', async () => {
    const client = await connect();
    for (const envelope of ['', '"id":null,']) {
      client.frame(1, `{${envelope}"token":"${hostler.token}","event":"GET_DATA","data":{"modules":[]}}`);
    }
    await until(() => client.messages.length === 2, 'two answers');
    expect(client.messages.map(({ id, type }) => ({ id, type }))).toEqual([
      { id: '', type: 'DATA_GET' },
      { id: '', type: 'DATA_GET' },
    ]);
  });

  test('many wrong tokens get the same reply, and a valid one passes', async () => {
    const client = await connect();
    for (let count = 0; count < 15; count++) client.send('GET_DATA', { modules: [] }, { token: 'wrong' });
    await until(() => client.messages.length === 15, 'fifteen refusals');
    expect(new Set(client.messages.map(({ subtype }) => subtype))).toEqual(new Set(['BAD_TOKEN']));
    expect((await client.ask('GET_DATA', { modules: [] })).type).toBe('DATA_GET');
  });
});

describe('frames', () => {
  test('a fragmented message, with a ping between its frames, is one message', async () => {
    const client = await connect();
    const text = JSON.stringify({
      token: hostler.token,
      id: 'pieces',
      event: 'GET_DATA',
      data: { modules: ['memory'] },
    });
    client.frame(1, text.slice(0, 10), { fin: false });
    client.frame(9, 'hello');
    for (const letter of text.slice(10, -1)) client.frame(0, letter, { fin: false });
    client.frame(0, text.slice(-1));
    expect((await client.until(({ id }) => id === 'pieces', 'the answer')).type).toBe('DATA_GET');
    expect(client.pongs()).toBe(1);
  });

  test.each([
    ['one byte more than a mebibyte', (client: SocketClient) => client.frame(1, 'x'.repeat(1024 * 1024 + 1))],
    [
      'a length beyond any memory',
      (client: SocketClient) => client.raw(new Uint8Array([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5])),
    ],
    ['a frame without a mask', (client: SocketClient) => client.raw(new Uint8Array([0x81, 0x01, 0x41]))],
    ['bytes that are no UTF-8', (client: SocketClient) => client.frame(1, new Uint8Array([0xff, 0xfe, 0xfd]))],
    ['an unknown opcode', (client: SocketClient) => client.frame(5, 'x')],
    [
      'compression that was not agreed on',
      (client: SocketClient) => client.frame(1, new Uint8Array([1, 2]), { compressed: true }),
    ],
  ])('%s ends the connection and nothing else', async (_what, act) => {
    const [client, witness] = [await connect(), await connect()];
    act(client);
    await client.closed;
    expect((await witness.ask('GET_DATA', { modules: ['memory'] })).type).toBe('DATA_GET');
  });

  test('a long message before a valid token ends the connection', async () => {
    const client = await connect();
    client.frame(1, `{"token":"${hostler.token}","x":"${'x'.repeat(70_000)}"}`);
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  test.each([
    ['pings', 9],
    ['pongs', 10],
  ])('a flood of %s ends the connection, without and with a token, and nothing else', async (_what, opcode) => {
    const witness = await connect();
    for (const isAuthenticated of [false, true]) {
      const client = await connect();
      if (isAuthenticated) await client.ask('GET_DATA', { modules: [] });
      for (let count = 0; count < 10 * budgets.caller.controlFrames; count++) client.frame(opcode, '');
      await client.closed;
    }
    expect((await witness.ask('GET_DATA', { modules: ['memory'] })).type).toBe('DATA_GET');
  });

  test('a message of exactly one mebibyte is accepted', async () => {
    const client = await connect();
    await client.ask('GET_DATA', { modules: [] });
    const head = `{"token":"${hostler.token}","id":"big","event":"GET_DATA","data":{"modules":[],"x":"`;
    client.frame(1, `${head}${'x'.repeat(1024 * 1024 - head.length - 3)}"}}`);
    expect((await client.until(({ id }) => id === 'big', 'the answer')).type).toBe('DATA_GET');
  });

  test('loopback connections are not compressed, and a compression bomb has no effect', async () => {
    const client = await connect({ headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate' } });
    const bomb = zlib.deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    client.frame(1, bomb, { compressed: true });
    await client.closed;
    expect(await health()).toBe(200);
  });
});

describe('authentication', () => {
  test.each([
    ['a page of another server', { Origin: 'http://evil.example' }],
    ['a name that is not ours', { Host: 'evil.example' }],
  ])('%s is refused before any message', async (_what, headers) => {
    expect(connectSocket(hostler, { headers })).rejects.toThrow('403');
  });

  test('a request that is not a WebSocket upgrade gets an error', async () => {
    const response = await hostler.get('/api/websocket');
    expect(response.status).toBe(426);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  test('an incomplete handshake gets an error', async () => {
    const head = `GET /api/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;
    expect(await hostler.raw(head, 1000)).toContain('400 Bad Request');
  });

  test('a client without a valid token is disconnected', async () => {
    const [silent, wrong, right] = [await connect(), await connect(), await connect()];
    wrong.send('GET_DATA', { modules: [] }, { token: 'wrong' });
    await right.ask('GET_DATA', { modules: [] });
    expect(await silent.closed).toMatchObject({ code: 1008 });
    expect(await wrong.closed).toMatchObject({ code: 1008 });
    expect(right.isClosed()).toBe(false);
  });

  test('a missing scope is FORBIDDEN, also for an action', async () => {
    const token = await createToken(hostler, 'reader', 'read');
    const client = await connect();
    expect((await client.ask('GET_DATA', { modules: ['memory'] }, { token })).type).toBe('DATA_GET');
    expect(refusal(await client.ask('POWER_LOCK', {}, { token }))).toMatchObject({ subtype: 'FORBIDDEN' });
    const files = await createToken(hostler, 'files', 'files');
    expect(refusal(await client.ask('GET_DATA', { modules: ['memory'] }, { token: files }))).toMatchObject({
      subtype: 'FORBIDDEN',
    });
    expect(refusal(await client.ask('REGISTER_DATA_LISTENER', { modules: ['cpu'] }, { token: files }))).toMatchObject({
      subtype: 'FORBIDDEN',
    });
  });

  test('a token revoked at the command line ends its listeners at once, and no others', async () => {
    const token = await createToken(hostler, 'fleeting', 'read');
    const [client, witness] = [await connect(), await connect()];
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'] }, { token });
    await witness.ask('REGISTER_DATA_LISTENER', { modules: ['memory'], interval: 1000 });
    await client.until(isUpdate('memory'), 'an update');
    await runHostler(['token', 'revoke', 'fleeting'], { directory: hostler.directory });
    expect(await client.closed).toEqual({ code: 1008, reason: 'the token was revoked, or may do less' });
    const before = updatesOf(witness, 'memory').length;
    await until(() => updatesOf(witness, 'memory').length > before, 'updates of the other');
  });
});

describe('slow clients', () => {
  const processes = { modules: ['processes'] };

  test('a client that stops reading gets all its replies later, and of the updates the newest', async () => {
    const [slow, quick] = [await connect(), await connect()];
    await quick.ask('REGISTER_DATA_LISTENER', { modules: ['memory'], interval: 1000 });
    await slow.ask('REGISTER_DATA_LISTENER', { modules: ['memory', 'processes'], interval: 1000 });
    slow.pause();
    const requests = 3000;
    for (let count = 0; count < requests; count++) slow.send('GET_DATA', processes, { id: `n${count}` });
    const before = updatesOf(quick, 'memory').length;
    await until(() => updatesOf(quick, 'memory').length >= before + 3, 'updates of the other');
    expect(await health()).toBe(200);
    slow.resume();
    const answers = () => slow.messages.filter(({ id }) => /^n\d+$/.test(id));
    await until(() => answers().length === requests, 'every answer');
    const kinds = new Set(answers().map(({ type, subtype }) => (type === 'ERROR' ? subtype : type)));
    expect([...kinds].filter((kind) => kind !== 'DATA_GET' && kind !== 'RATE_LIMITED')).toEqual([]);
    // Some of them had to wait, and of those only the newest was sent.
    expect(updatesOf(slow, 'processes').length).toBeLessThan(requests);
    const level = updatesOf(slow, 'memory').length;
    await until(() => updatesOf(slow, 'memory').length > level, 'updates, as before');
  });

  test('a client that keeps requesting and never reads is disconnected', async () => {
    const client = await connect();
    client.pause();
    const long = { modules: ['processes', ...Array.from({ length: 99 }, (_, index) => `${index}${'x'.repeat(60)}`)] };
    for (let round = 0; round < 200 && !client.isClosed(); round++) {
      for (let count = 0; count < 50; count++) client.send('GET_DATA', long);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    client.resume();
    await client.closed;
    await until(() => hostler.output().includes('sends requests without reading the answers'), 'a line in the log');
    expect(await health()).toBe(200);
  });

  test('repeated registrations are limited, and the last one stays', async () => {
    const client = await connect();
    for (let count = 0; count < 100; count++) client.send('REGISTER_DATA_LISTENER', { modules: ['memory'] });
    await until(
      () => client.messages.filter(({ id }) => id === 'REGISTER_DATA_LISTENER').length === 100,
      'every answer',
    );
    const refused = client.messages.filter(({ subtype }) => subtype === 'RATE_LIMITED').length;
    expect(refused).toBe(80);
    const before = updatesOf(client, 'memory').length;
    await until(() => updatesOf(client, 'memory').length > before, 'updates');
  });

  test('10,000 requests in a burst are answered in order', async () => {
    const client = await connect();
    await client.ask('GET_DATA', { modules: ['memory'] });
    for (let count = 0; count < 10_000; count++) client.send('GET_DATA', { modules: [] }, { id: String(count) });
    await until(() => client.messages.some(({ id }) => id === '9999'), 'the last answer');
    const ids = client.messages.map(({ id }) => id).filter((id) => /^\d+$/.test(id));
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, index) => String(index)));
  });

  test('a burst of actions is answered one by one, or refused as too many', async () => {
    const client = await connect();
    for (let count = 0; count < 1000; count++) client.send('GET_DIRECTORIES', {}, { id: String(count) });
    await until(() => client.messages.length === 1000, 'every answer');
    expect(new Set(client.messages.map(({ id }) => id)).size).toBe(1000);
    const kinds = new Set(client.messages.map(({ type, subtype }) => (type === 'ERROR' ? subtype : type)));
    expect([...kinds].filter((kind) => kind !== 'DIRECTORIES' && kind !== 'RATE_LIMITED')).toEqual([]);
  });
});

describe('messages longer than a client accepts', () => {
  test('are refused to known clients with that limit, and the connection stays', async () => {
    const music = path.join(hostler.directory, 'home', 'Music');
    fs.mkdirSync(music, { recursive: true });
    for (let count = 0; count < 25_000; count++)
      fs.writeFileSync(path.join(music, `a rather long name of a song ${count}`), '');
    const python = await connect({ headers: { 'User-Agent': 'HomeAssistant/2026.11 aiohttp/3.12 Python/3.13' } });
    const answer = await python.ask('GET_FILES', { base: 'music' });
    expect(refusal(answer)).toMatchObject({ type: 'ERROR', subtype: 'FAILED' });
    expect(answer.message).toContain('4194304');
    expect((await python.ask('GET_DATA', { modules: ['memory'] })).type).toBe('DATA_GET');
    const other = await connect();
    const files = await other.ask('GET_FILES', { base: 'music' });
    expect(files.type).toBe('FILES');
    expect((files.data as unknown[]).length).toBe(25_000);
  });
});

describe('shutdown', () => {
  test('all clients are notified when the service stops', async () => {
    await using ending = await startHostler();
    const client = await connectSocket(ending);
    await client.ask('GET_DATA', { modules: ['memory'] });
    ending.stop();
    expect(await client.closed).toMatchObject({ code: 1001 });
  });
});
