import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { z } from 'zod';
import { actions, modules } from '../../../src/features/index.ts';
import {
  strictCommandResult,
  strictDirectories,
  strictFile,
  strictFiles,
  strictMessage,
  strictModules,
  strictMounts,
  strictSettings,
} from '../../doubles/peers/system-bridge/strict.ts';
import { createToken, type RunningHostler, startHostler } from '../harness/service.ts';
import { connectSocket, type Message, type SocketClient } from '../harness/socket-client.ts';
import { echo, nine, oddName, prepare, wrongIn } from '../harness/ws-clients.ts';

/** What existing clients were observed to depend on, one by one. */

let hostler: RunningHostler;
const sockets: SocketClient[] = [];
beforeAll(async () => {
  hostler = await startHostler({ prepare });
});
afterAll(async () => {
  for (const socket of sockets) socket.end();
  await hostler?.stop();
});

async function connect(): Promise<SocketClient> {
  const socket = await connectSocket(hostler);
  sockets.push(socket);
  return socket;
}

const updatesOf = ({ messages }: SocketClient) => messages.filter(({ type }) => type === 'DATA_UPDATE');

describe('HTTP', () => {
  test('the version is one that clients accept', async () => {
    const { version } = (await (await hostler.get('/api/data/system', { token: hostler.token })).json()) as {
      version: string;
    };
    expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(5);
  });

  test('/information, which clients probe, is 404 and JSON', async () => {
    const response = await hostler.get('/information');
    expect([response.status, await response.json()]).toEqual([404, { error: expect.any(String) }]);
  });

  test.each([
    [400, '/api/data', () => hostler.token],
    [401, '/api/data/system', () => 'wrong'],
    [401, '/api/data/system', () => ''],
    [403, '/api/data/system', (narrow: string) => narrow],
    [404, '/api/data/nonsense', () => hostler.token],
  ])('a %d has a JSON body', async (status, route, token) => {
    const name = `narrow-${Math.random()}`;
    const response = await hostler.get(route, { token: token(await createToken(hostler, name, 'media')) });
    expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String) }]);
  });

  test('a media file is found although its name is unescaped in the URL', async () => {
    const query = `token=${hostler.token}&base=music&path=${oddName.replaceAll(' ', '%20')}`;
    const answer = await hostler.raw(
      `GET /api/media/file/data?${query} HTTP/1.1\r\nHost: 127.0.0.1:${hostler.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toStartWith('HTTP/1.1 200');
    expect(answer).toEndWith('la la la');
  });
});

describe('messages', () => {
  test.each([...actions.map(({ wire }) => wire.event), 'NONSENSE'])(
    'the reply to %s has the known keys only, and data',
    async (event) => {
      const socket = await connect();
      // Input that no action accepts, so that none of them runs.
      const { type } = await socket.ask(event, event === 'EXIT_APPLICATION' ? undefined : wrongFor(event), {
        ...(event === 'EXIT_APPLICATION' ? { token: 'wrong' } : {}),
      });
      expect(type).toBeString();
      expect(socket.messages.flatMap((message) => wrongIn(strictMessage, message))).toEqual([]);
      socket.end();
    },
  );

  test('an update carries exactly these keys', async () => {
    const socket = await connect();
    await socket.ask('GET_DATA', { modules: ['memory'] });
    const [update] = updatesOf(socket);
    expect(update).toEqual({
      id: 'system',
      type: 'DATA_UPDATE',
      subtype: 'NONE',
      module: 'memory',
      data: expect.any(Object),
    });
  });

  test('optional fields may be null, and data may be omitted or null', async () => {
    const socket = await connect();
    expect(await socket.ask('GET_FILES', { base: 'music', path: null })).toMatchObject({ type: 'FILES' });
    expect(await socket.ask('GET_DIRECTORIES')).toMatchObject({ type: 'DIRECTORIES' });
    expect(await socket.ask('GET_DIRECTORIES', null)).toMatchObject({ type: 'DIRECTORIES' });
    const powered = await socket.ask('POWER_LOCK', { delay: null, force: null });
    expect(powered.subtype).not.toBe('BAD_REQUEST');
    const controlled = await socket.ask('MEDIA_CONTROL', { action: 'PLAY', value: null, player: null });
    expect(controlled.subtype).not.toBe('BAD_REQUEST');
  });

  test('one id may be reused, on one connection and on the next', async () => {
    for (const socket of [await connect(), await connect()]) {
      const answers = (type: string) => socket.messages.filter((message) => message.type === type);
      for (let round = 1; round <= 3; round++) {
        socket.send('GET_DATA', { modules: ['memory'] }, { id: 'always' });
        socket.send('GET_DIRECTORIES', {}, { id: 'always' });
        await socket.until(
          () => answers('DATA_GET').length === round && answers('DIRECTORIES').length === round,
          'an answer to each',
        );
      }
      expect(new Set(socket.messages.map(({ id }) => id))).toEqual(new Set(['system', 'always']));
    }
  });

  test('a wrong token is answered with its code, and the connection stays open', async () => {
    const socket = await connect();
    expect(await socket.ask('GET_DATA', { modules: [] }, { token: 'wrong' })).toMatchObject({
      type: 'ERROR',
      subtype: 'BAD_TOKEN',
      message: expect.any(String),
    });
    expect(await socket.ask('GET_DATA', { modules: [] })).toMatchObject({ type: 'DATA_GET' });
  });

  test('after a reconnect registering is enough: every module is sent once, at once', async () => {
    for (let connection = 0; connection < 2; connection++) {
      const socket = await connect();
      const answer = await socket.ask('REGISTER_DATA_LISTENER', { modules: nine }, { id: 'same' });
      expect(answer).toMatchObject({ type: 'DATA_LISTENER_REGISTERED', data: { modules: nine } });
      await socket.until(() => new Set(updatesOf(socket).map(({ module }) => module)).size === nine.length, 'all nine');
      socket.end();
    }
  });
});

describe('message contents', () => {
  test('every module has all the keys and types that strict clients require', async () => {
    const socket = await connect();
    // chat is absent without credentials, and the others are new in Hostler.
    const others = new Set([
      'chat',
      'audio',
      'bluetooth',
      'custom',
      'updates',
      'alerts',
      'containers',
      'services',
      'session',
      'clipboard',
      'prompts',
    ]);
    const names = modules.map(({ name }) => name).filter((name) => !others.has(name));
    expect(Object.keys(strictModules).sort()).toEqual([...names].sort());
    await socket.ask('GET_DATA', { modules: names });
    const wrong = names.map((name) => {
      const update = updatesOf(socket).find(({ module }) => module === name);
      return [name, wrongIn(strictModules[name], update?.data)];
    });
    expect(wrong).toEqual(names.map((name) => [name, []]));
  });

  test('a module that could not be read in time has them as well', () => {
    // Kernel data of the system is available at once, and these clients require a host name.
    const lists = modules.filter(({ name }) => strictModules[name] !== undefined && name !== 'system');
    for (const { name, empty } of lists) expect([name, wrongIn(strictModules[name], empty)]).toEqual([name, []]);
  });

  test('discord is answered without credentials: not connected, and everything else null', async () => {
    const socket = await connect();
    const { message } = await socket.ask('GET_DATA', { modules: ['discord'] });
    expect(message).toBeUndefined();
    const updates = updatesOf(socket);
    expect(updates).toMatchObject([{ module: 'discord', data: { connected: false, authenticated: false } }]);
    const known = Object.entries(updates[0]?.data ?? {}).filter(([, value]) => value !== null);
    expect(known.map(([key]) => key)).toEqual(['connected', 'authenticated']);
  });

  test('directories and files', async () => {
    const socket = await connect();
    const directories = await socket.ask('GET_DIRECTORIES', {});
    expect(wrongIn(strictDirectories, directories.data)).toEqual([]);
    expect(directories.data).toContainEqual({ key: 'music', name: expect.any(String), path: expect.any(String) });
    const files = await socket.ask('GET_FILES', { base: 'music' });
    expect(wrongIn(strictFiles, files.data)).toEqual([]);
    expect(files.data).toMatchObject([
      { name: oddName, contentType: 'audio/mpeg', extension: '.mp3' },
      { name: 'Album' },
    ]);
  });

  test('a file is described for every generation of clients', async () => {
    const socket = await connect();
    const { data } = await socket.ask('GET_FILE', { base: 'music', path: oddName });
    expect(wrongIn(strictFile, data)).toEqual([]);
    expect(data).toMatchObject({ size: 8, contentType: 'audio/mpeg', mime_type: 'audio/mpeg' });
    // Newer clients know the whole path from the listing, and send no base.
    const { path } = data as { path: string };
    expect(await socket.ask('GET_FILE', { path })).toMatchObject({ type: 'FILE', data });
  });

  test('one directory, whether a path is one, and the mounts', async () => {
    const socket = await connect();
    const { data } = await socket.ask('GET_DIRECTORY', { base: 'music' });
    expect(wrongIn(strictDirectories, [data])).toEqual([]);
    const { path } = data as { path: string };
    expect((await socket.ask('VALIDATE_DIRECTORY', { path })).data).toEqual({ valid: true });
    expect((await socket.ask('VALIDATE_DIRECTORY', { path: `${path}/nowhere` })).data).toEqual({ valid: false });
    expect(wrongIn(strictMounts, (await socket.ask('GET_DISK_MOUNTS', {})).data)).toEqual([]);
  });

  test('a command is announced at once, and its result has at most five keys', async () => {
    const socket = await connect();
    const { type, data } = await socket.ask('COMMAND_EXECUTE', { commandID: 'echo' });
    expect(type).toBe('COMMAND_COMPLETED');
    expect(wrongIn(strictCommandResult, data)).toEqual([]);
    expect(data).toEqual({ commandID: 'echo', exitCode: 0, stdout: 'hello there\n', stderr: '' });
    expect(socket.messages.map((message) => [message.type, message.data])).toEqual([
      ['COMMAND_EXECUTING', { commandID: 'echo' }],
      ['COMMAND_COMPLETED', data],
    ]);
  });

  test('settings have all keys, their commands exactly five, and they contain no secret', async () => {
    const socket = await connect();
    const { data } = await socket.ask('GET_SETTINGS', {});
    expect(wrongIn(strictSettings, data)).toEqual([]);
    expect((data as z.infer<typeof strictSettings>).commands.allowlist).toEqual([echo]);
    expect(JSON.stringify(data)).not.toContain(hostler.token);
    const updated = await socket.ask('UPDATE_SETTINGS', data);
    expect([updated.type, wrongIn(strictSettings, updated.data)]).toEqual(['SETTINGS_UPDATED', []]);
  });
});

describe('right after the start', () => {
  test('a page requests everything at once, without waiting, and without data where there is none', async () => {
    const socket = await connect();
    const wanted = Object.keys(strictModules).concat('discord');
    socket.send('GET_SETTINGS');
    socket.send('GET_DATA', { modules: wanted });
    socket.send('REGISTER_DATA_LISTENER', { modules: wanted });
    const times = (name: string) => updatesOf(socket).filter(({ module }) => module === name).length;
    // Once for the request, and once for the registration.
    await socket.until(() => wanted.every((name) => times(name) >= 2), 'every module twice');
    const final = () => socket.messages.filter(({ type }) => type !== 'DATA_UPDATE');
    await socket.until(() => final().length >= 3, 'the reply to each request');
    expect(
      final()
        .map(({ type, message }) => [type, message ?? ''])
        .sort(),
    ).toEqual([
      ['DATA_GET', ''],
      ['DATA_LISTENER_REGISTERED', ''],
      ['SETTINGS_RESULT', ''],
    ]);
  });

  test('nine modules in one request are answered within the time clients wait', async () => {
    await using fresh = await startHostler();
    const socket = await connectSocket(fresh);
    const started = performance.now();
    await socket.ask('GET_DATA', { modules: nine });
    const ms = Math.round(performance.now() - started);
    console.log(`nine modules of a service that just started: ${ms} ms`);
    expect(
      updatesOf(socket)
        .map(({ module }) => module)
        .sort(),
    ).toEqual(nine);
    expect(updatesOf(socket).every(({ data }: Message) => data !== null)).toBe(true);
    // Our target is 2 s; clients give up after 15.
    expect(ms).toBeLessThan(15_000);
    socket.end();
    await fresh.stop();
  });
});

/** Data that no action accepts. */
function wrongFor(event: string): Record<string, unknown> {
  const names = 'delay action commandID base path title text key url value modules commands';
  return event.startsWith('GET_') ? {} : Object.fromEntries(names.split(' ').map((name) => [name, { wrong: true }]));
}
