import { describe, expect, test } from 'bun:test';
import { until } from '@hostler/io/testing/until.ts';
import { backOff, type Client, type ClientOptions, createClient, socketUrl } from './client.ts';
import type { SocketConstructor } from './link.ts';
import type { UnlistedEvent } from './requests.ts';

interface Sent {
  token: string;
  id: string;
  event: string;
  data: unknown;
}

/** The server side of every connection that a client opens, controlled by the test. */
function fakeService(options: Partial<ClientOptions> = {}) {
  const connections: Connection[] = [];
  const construct = () => {
    const handlers = new Map<string, (event: object) => void>();
    const sent: Sent[] = [];
    const connection: Connection = {
      sent,
      receive: (message) =>
        handlers.get('message')?.({ data: JSON.stringify({ subtype: 'NONE', data: null, ...message }) }),
      junk: (data) => handlers.get('message')?.({ data }),
      open() {
        handlers.get('open')?.({});
        connection.receive({ id: sent[0]?.id ?? '', type: 'DATA_GET' });
      },
      close: (code, reason = '') => handlers.get('close')?.({ code, reason }),
    };
    connections.push(connection);
    return {
      addEventListener: (type: string, handler: (event: object) => void) => void handlers.set(type, handler),
      send: (text: string) => void sent.push(JSON.parse(text)),
      close() {},
    };
  };
  const problems: unknown[] = [];
  const client = createClient({
    where: { url: 'http://machine:9170', token: 'secret' },
    WebSocket: function Fake() {
      return construct();
    } as unknown as SocketConstructor,
    onProblem: (problem) => problems.push(problem),
    retryMs: 0,
    ...options,
  });
  return { client, connections, problems };
}

interface Connection {
  sent: Sent[];
  receive(message: {
    id: string;
    type: string;
    module?: string;
    data?: unknown;
    subtype?: string;
    message?: string;
  }): void;
  junk(data: unknown): void;
  /** Connects and accepts the token. */
  open(): void;
  close(code: number, reason?: string): void;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

async function openService(options: Partial<ClientOptions> = {}) {
  const service = fakeService(options);
  await settled();
  const [connection] = service.connections;
  if (connection === undefined) throw new Error('the client did not connect');
  connection.open();
  await settled();
  return { ...service, connection };
}

const eventsOf = ({ sent }: Connection) => sent.slice(1).map(({ event, data }) => [event, data]);
const lastId = ({ sent }: Connection) => sent.at(-1)?.id ?? '';
const codeOf = (work: Promise<unknown>) => work.then(String, ({ code }) => code);

test.each([
  ['https://machine:9171', true],
  ['wss://machine:9171', true],
  ['HTTPS://machine:9171', true],
  ['http://machine:9170', false],
])('the authority of %s is pinned: %p', async (url, isPinned) => {
  const pinned: string[] = [];
  const pin = async (of: string) => {
    pinned.push(of);
    return null;
  };
  const { client, connections } = fakeService({ where: { url, token: 'secret' }, pin });
  await until(() => connections.length > 0, 'it connects');
  expect(pinned).toEqual(isPinned ? [url] : []);
  client.close();
});

describe('requests of the client', () => {
  test('each carries the current token, where tokens are replaced while a connection lasts', async () => {
    const tokens = ['first', 'second', 'third'];
    const { client, connection } = await openService({
      where: { url: 'http://machine:9170', token: () => tokens.shift() ?? '' },
    });
    void client.request('GET_SETTINGS', {}).catch(() => {});
    void client.request('GET_SETTINGS', {}).catch(() => {});
    await settled();
    expect(connection.sent.map(({ token }) => token)).toEqual(['first', 'second', 'third']);
    client.close();
  });

  test('wait for the connection, carry the token, and get their own response', async () => {
    const service = fakeService();
    const first = service.client.request('POWER_LOCK', {});
    const second = service.client.request('POWER_LOCK', {});
    await settled();
    const [connection] = service.connections;
    connection?.open();
    const [, one, two] = connection?.sent ?? [];
    expect(one).toMatchObject({ token: 'secret', event: 'POWER_LOCK', data: {} });
    connection?.receive({ id: two?.id ?? '', type: 'POWER_LOCKING', data: 'second', message: 'unconfirmed' });
    connection?.receive({ id: one?.id ?? '', type: 'POWER_LOCKING', data: 'first' });
    expect((await first) as unknown).toEqual({ data: 'first', message: '' });
    expect((await second) as unknown).toEqual({ data: 'second', message: 'unconfirmed' });
    service.client.close();
  });

  test('messages of another type under the same id are passed on before and after the response', async () => {
    const { client, connection } = await openService();
    const received: unknown[] = [];
    const answer = client.request('POWER_LOCK', {}, { onMessage: (type, data) => received.push([type, data]) });
    const id = lastId(connection);
    connection.receive({ id, type: 'COMMAND_OUTPUT', data: 1 });
    connection.receive({ id, type: 'POWER_LOCKING' });
    await answer;
    connection.receive({ id, type: 'NOTIFICATION_ACTION', data: 2 });
    expect(received).toEqual([
      ['COMMAND_OUTPUT', 1],
      ['NOTIFICATION_ACTION', 2],
    ]);
    client.close();
  });

  test('fail with the code and the sentence of the service, after their time, and when the client is closed', async () => {
    const { client, connection } = await openService();
    const refused = client.request('POWER_LOCK', {});
    connection.receive({ id: lastId(connection), type: 'ERROR', subtype: 'UNSUPPORTED', message: 'No logind' });
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ code: 'UNSUPPORTED', message: 'No logind' });
    expect(await codeOf(client.request('POWER_LOCK', {}, { timeoutMs: 5 }))).toBe('TIMEOUT');
    const open = codeOf(client.request('POWER_LOCK', {}));
    client.close();
    expect(await open).toBe('CLOSED');
    expect(await codeOf(client.request('POWER_LOCK', {}))).toBe('CLOSED');
  });

  test('an unknown event or module is an error of the compiler, with a sentence; a text of run time is not', async () => {
    const { client } = await openService();
    const wrong: Promise<unknown>[] = [
      // @ts-expect-error: There is no event POWER_LOK; one of a newer service is passed as a string: 'POWER_LOK' as string
      client.request('POWER_LOK', {}),
      // @ts-expect-error: POWER_LOCK takes no reason
      client.request('POWER_LOCK', { reason: 'lunch' }),
      client.request('POWER_LOK' as string, {}),
    ];
    for (const failed of wrong) failed.catch(() => {});
    // @ts-expect-error: There is no module cpuu
    client.listen(['cpu', 'cpuu'], () => {});
    const sentence: UnlistedEvent<'POWER_LOK'> =
      "There is no event POWER_LOK; one of a newer service is passed as a string: 'POWER_LOK' as string";
    expect(sentence).toContain('POWER_LOK');
    client.close();
  });

  test('requests sent before a connection broke are not sent again', async () => {
    const { client, connection, connections } = await openService();
    const lost = codeOf(client.request('POWER_RESTART', {}));
    connection.close(1006);
    expect(await lost).toBe('CONNECTION_LOST');
    await settled();
    connections[1]?.open();
    expect(connections[1]?.sent.map(({ event }) => event)).toEqual(['GET_DATA']);
    client.close();
  });
});

describe('listeners of the client', () => {
  test('are merged into one registration: simultaneous changes are one message, and removing the last one ends it', async () => {
    const { client, connection } = await openService();
    const stops = [client.listen(['cpu', 'memory'], () => {}), client.listen(['memory', 'battery'], () => {})];
    await settled();
    for (const stop of stops) stop();
    await settled();
    expect(eventsOf(connection)).toEqual([
      ['REGISTER_DATA_LISTENER', { modules: ['battery', 'cpu', 'memory'], interval: { cpu: 1000, memory: 1000 } }],
      ['UNREGISTER_DATA_LISTENER', undefined],
    ]);
    client.close();
  });

  test('name the shortest interval that one of them wants', async () => {
    const { client, connection } = await openService();
    client.listen(['cpu', 'battery'], () => {}, { interval: 60_000 });
    await settled();
    client.listen(['cpu', 'processes'], () => {});
    await settled();
    expect(eventsOf(connection).map(([, data]) => (data as { interval: unknown }).interval)).toEqual([
      { battery: 60_000, cpu: 60_000 },
      { battery: 60_000, cpu: 1000, processes: 2000 },
    ]);
    client.close();
  });

  test('a later listener gets the known payloads at once, and only those of its modules', async () => {
    const { client, connection } = await openService();
    const seen: unknown[] = [];
    client.listen(['cpu'], () => {});
    await settled();
    connection.receive({ id: 'system', type: 'DATA_UPDATE', module: 'cpu', data: 1 });
    client.listen(['cpu'], (_, data) => seen.push(data));
    await settled();
    connection.receive({ id: 'system', type: 'DATA_UPDATE', module: 'memory', data: 2 });
    expect(seen).toEqual([1]);
    expect(eventsOf(connection)).toHaveLength(1);
    client.close();
  });

  test('register again on a new connection', async () => {
    const { client, connection, connections } = await openService();
    client.listen(['cpu'], () => {});
    await settled();
    connection.close(1001, 'the service ends');
    await settled();
    connections[1]?.open();
    expect(eventsOf(connections[1] as Connection)).toEqual([
      ['REGISTER_DATA_LISTENER', { modules: ['cpu'], interval: { cpu: 1000 } }],
    ]);
    client.close();
  });

  test('one that throws does not affect the others', async () => {
    const { client, connection, problems } = await openService();
    const seen: unknown[] = [];
    client.listen(['cpu'], () => {
      throw new Error('in a callback');
    });
    client.listen(['cpu'], (_, data) => seen.push(data));
    connection.receive({ id: 'system', type: 'DATA_UPDATE', module: 'cpu', data: 1 });
    expect(seen).toEqual([1]);
    expect(String(problems)).toContain('in a callback');
    client.close();
  });

  test('a registration that was rate-limited is sent again, without a reported problem', async () => {
    const { client, connection, problems } = await openService();
    client.listen(['cpu'], () => {});
    await settled();
    connection.receive({ id: lastId(connection), type: 'ERROR', subtype: 'RATE_LIMITED', message: 'At most 20' });
    await until(() => eventsOf(connection).length === 2, 'the list once more');
    expect(eventsOf(connection)[1]).toEqual(['REGISTER_DATA_LISTENER', { modules: ['cpu'], interval: { cpu: 1000 } }]);
    expect(problems).toEqual([]);
    client.close();
  });

  test('a module that the service does not know is reported, and the others are registered without it', async () => {
    const { client, connection, connections, problems } = await openService();
    client.listen(['cpu', 'weather' as string], () => {});
    await settled();
    connection.receive({
      id: lastId(connection),
      type: 'ERROR',
      subtype: 'BAD_REQUEST',
      message: 'There is no module "weather"',
      data: { unknownModules: ['weather'] },
    });
    await settled();
    expect(eventsOf(connection)).toEqual([
      ['REGISTER_DATA_LISTENER', { modules: ['cpu', 'weather'], interval: { cpu: 1000 } }],
      ['REGISTER_DATA_LISTENER', { modules: ['cpu'], interval: { cpu: 1000 } }],
    ]);
    expect(problems).toMatchObject([{ code: 'ABSENT', message: 'There is no module "weather"' }]);
    // The next service may be newer.
    connection.close(1001);
    await settled();
    connections[1]?.open();
    expect(eventsOf(connections[1] as Connection)).toEqual([
      ['REGISTER_DATA_LISTENER', { modules: ['cpu', 'weather'], interval: { cpu: 1000 } }],
    ]);
    client.close();
  });

  test('a part of a module comes under the id of its request, and reaches no listener', async () => {
    const { client, connection } = await openService();
    const seen: unknown[] = [];
    client.listen(['processes'], (_, data) => seen.push(data));
    await settled();
    const part = client.read('processes', { sort: '-cpu_usage', limit: 1 });
    expect(eventsOf(connection).at(-1)).toEqual(['GET_DATA', { modules: ['processes'], sort: '-cpu_usage', limit: 1 }]);
    const id = lastId(connection);
    connection.receive({ id: 'system', type: 'DATA_UPDATE', module: 'processes', data: ['all', 'of', 'them'] });
    connection.receive({ id, type: 'DATA_UPDATE', module: 'processes', data: ['the busiest'] });
    connection.receive({ id, type: 'DATA_GET' });
    expect((await part) as unknown).toEqual(['the busiest']);
    expect(seen).toEqual([['all', 'of', 'them']]);
    client.close();
  });

  test('a refused registration is reported', async () => {
    const { client, connection, problems } = await openService();
    client.listen(['cpu'], () => {});
    await settled();
    connection.receive({
      id: lastId(connection),
      type: 'ERROR',
      subtype: 'FORBIDDEN',
      message: 'The token lacks read',
    });
    await settled();
    expect(problems).toMatchObject([{ code: 'FORBIDDEN' }]);
    client.close();
  });
});

describe('the connection of the client', () => {
  const statesOf = (client: Client) => {
    const states: string[] = [];
    client.onState((state) => states.push(state));
    return states;
  };

  test('is open when the service accepted the token, whatever its scopes', async () => {
    const { client, connections } = fakeService();
    const states = statesOf(client);
    await settled();
    connections[0]?.junk(JSON.stringify({ id: 'sign-of-life', type: 'ERROR', subtype: 'FORBIDDEN', data: null }));
    expect(states).toEqual(['connecting', 'open']);
    client.close();
  });

  test.each(['nonsense', 'null', new ArrayBuffer(2)])('is given up when it carries %p', async (data) => {
    const { client, connection, connections } = await openService();
    const states = statesOf(client);
    connection.junk(data);
    await settled();
    expect(states).toEqual(['waiting', 'connecting']);
    expect(connections).toHaveLength(2);
    client.close();
  });

  test('reconnects after the service closed the connection, whatever the reason: the next one shows whether the token is valid', async () => {
    const { client, connection, connections } = await openService();
    connection.close(1008, 'no valid token came within 10 s');
    expect(client.state).toBe('waiting');
    await settled();
    connections[1]?.open();
    expect(client.state).toBe('open');
    client.close();
  });

  test('resolves the address of the service before each attempt', async () => {
    let asked = 0;
    const { client, connections } = fakeService({
      where() {
        if (++asked === 1) throw new Error('No service is running');
        return { url: 'http://machine:1', token: `token ${asked}` };
      },
    });
    await settled();
    await settled();
    connections[0]?.open();
    expect(connections[0]?.sent[0]?.token).toBe('token 2');
    client.close();
  });

  test('does not reconnect after a refusal until retry is called', async () => {
    const { client, connections } = fakeService();
    await settled();
    const refusal = { id: 'sign-of-life', type: 'ERROR', subtype: 'BAD_TOKEN', message: 'The token is not valid' };
    connections[0]?.receive(refusal);
    await settled();
    expect(client.state).toBe('refused');
    expect(connections).toHaveLength(1);
    client.retry();
    await settled();
    connections[1]?.open();
    expect(client.state).toBe('open');
    client.close();
  });
});

test('attempts are spread over half of a time that doubles up to a limit', () => {
  expect([0, 1, 2, 20].map((failed) => backOff(failed, 500, 30_000, 1))).toEqual([500, 1000, 2000, 30_000]);
  expect(backOff(2, 500, 30_000, 0)).toBe(1000);
});

test.each([
  ['http://127.0.0.1:9170', 'ws://127.0.0.1:9170/api/websocket'],
  ['https://home/hostler/', 'wss://home/hostler/api/websocket'],
  ['ws://[::1]:9170', 'ws://[::1]:9170/api/websocket'],
])('the service at %s is reached at %s', (url, expected) => {
  expect(socketUrl(url)).toBe(expected);
});
