import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openRpc, RpcClosed } from '@hostler/discord-rpc/rpc.ts';
import { createClock } from '../../../src/host/clock.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';
import { testChannel, testMember, testUser } from '../../doubles/peers/voice-chat.application.ts';
import { startVoiceChat, testClient, type VoiceChat } from '../../doubles/peers/voice-chat.ts';
import { until } from '../../harness/until.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { findProgram, needs } from '../harness/parts.ts';
import {
  commandLine,
  type RunningHostler,
  root,
  runHostler,
  serviceEnvironment,
  startHostler,
} from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';

const nothing = {
  connected: false,
  authenticated: false,
  user: null,
  call: null,
  mute: null,
  deaf: null,
  input: null,
  output: null,
  mode: null,
  processing: null,
  qos: null,
  silence_warning: null,
};

let peer: VoiceChat;
let hostler: RunningHostler;
let runtime: string;
let env: Record<string, string>;
/** Everything that any client received. */
const reported: string[] = [];

beforeAll(async () => {
  runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-run-'));
  peer = await startVoiceChat({ directory: runtime });
  peer.application.channels.set('100', testChannel('100', { voice_states: [testMember(testUser('2', 'bob'))] }));
  env = { XDG_RUNTIME_DIR: runtime, TMPDIR: runtime };
  hostler = await startHostler({ env, args: ['--log-level', 'DEBUG'], prepare: askingPeer });
});

afterAll(async () => {
  await hostler.stop();
  await peer.stop();
  fs.rmSync(runtime, { recursive: true, force: true });
});

/** Settings with the address of the peer. */
function askingPeer(directory: string) {
  fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
  const settings = { chat: { oauthUrl: peer.oauth.url } };
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
}

async function get(route: string): Promise<{ status: number; body: unknown }> {
  const response = await hostler.get(route);
  const text = await response.text();
  reported.push(text);
  return { status: response.status, body: JSON.parse(text) };
}

/** Runs a command with these lines on its standard input. */
async function run(args: string[], input = ''): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await runHostler(args, { directory: hostler.directory, env, input });
  const output = stdout + stderr;
  reported.push(output);
  return { code, output };
}

const setUp = () => run(['chat', 'setup'], `${testClient.clientId}\n${testClient.clientSecret}\n`);
const stateFile = (name: string) => path.join(hostler.directory, 'state', name);
const availability = async () => {
  const { body } = await get('/api/modules');
  const list: { name?: string; availability?: string }[] = Array.isArray(body) ? body : [];
  return list.find(({ name }) => name === 'chat')?.availability;
};
const updatesTo = ({ messages }: SocketClient, module: string) =>
  messages.filter((message) => message.type === 'DATA_UPDATE' && message.module === module).map(({ data }) => data);

describe('without credentials', () => {
  test('the module does not exist, and the error says how to set it up', async () => {
    expect(await get('/api/data/chat')).toEqual({
      status: 404,
      body: { error: expect.stringContaining('run "hostler chat setup"') },
    });
    expect(await availability()).toBe('unavailable');
    expect(peer.connections()).toBe(0);
  });

  test('a request by the older name is answered', async () => {
    expect(await get('/api/data/discord')).toEqual({ status: 200, body: nothing });
    const socket = await connectSocket(hostler);
    await socket.ask('GET_DATA', { modules: ['discord', 'chat'] });
    await until(() => updatesTo(socket, 'discord').length === 1, 'an answer');
    expect(updatesTo(socket, 'discord')).toEqual([nothing]);
    expect(updatesTo(socket, 'chat')).toEqual([]);
    expect(await socket.ask('CHAT_CONTROL', { action: 'MUTE' })).toMatchObject({
      type: 'ERROR',
      subtype: 'UNSUPPORTED',
    });
    socket.end();
  });

  test('agents have no tool for it', async () => {
    const agent = await connectTo(hostler, { mode: 'auto', over: 'http' });
    expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain('control_chat');
    await agent.close();
  });

  test('the origin of its tokens cannot be changed over the network', async () => {
    const socket = await connectSocket(hostler);
    const chat = { oauthUrl: 'https://elsewhere.test/token' };
    expect(await socket.ask('UPDATE_SETTINGS', { chat })).toMatchObject({ type: 'ERROR', subtype: 'FORBIDDEN' });
    socket.end();
  });

  test('no list contains another name for it', async () => {
    const { body } = await get('/api/modules');
    expect(JSON.stringify(body)).not.toContain('discord"');
    expect(await get('/api/data/discordant')).toMatchObject({ status: 404 });
  });
});

test('setting it up adds the module for connected listeners, and forgetting it removes the module', async () => {
  const socket = await connectSocket(hostler);
  await socket.ask('REGISTER_DATA_LISTENER', { modules: ['chat', 'discord'] });
  await until(() => updatesTo(socket, 'discord').length === 1, 'the answer of before');
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = updatesTo(socket, 'chat').length;
    expect(await setUp()).toMatchObject({ code: 0 });
    const from = performance.now();
    await until(() => updatesTo(socket, 'chat').length > before, 'it appeared');
    times.push(performance.now() - from);
    expect(fs.statSync(stateFile('chat.json')).mode & 0o777).toBe(0o600);
    await until(async () => (await availability()) === 'available', 'it is listed');
    await until(
      () => JSON.stringify(updatesTo(socket, 'chat').at(-1)).includes('"authenticated":true'),
      'it is connected',
    );
    expect(updatesTo(socket, 'discord').at(-1)).toEqual(updatesTo(socket, 'chat').at(-1));
    expect(await run(['chat', 'forget'])).toMatchObject({ code: 0 });
    await until(async () => (await get('/api/data/chat')).status === 404, 'it is gone');
    await until(() => peer.connected() === 0, 'it was let go of');
    expect(fs.readdirSync(path.join(hostler.directory, 'state')).filter((name) => name.startsWith('chat'))).toEqual([]);
    expect(await availability()).toBe('unavailable');
  }
  // The best of three: a single measurement on a busy machine proves nothing.
  expect(Math.min(...times)).toBeLessThan(2000);
  socket.end();
});

describe.skipIf(!needs('python3'))('on a terminal', () => {
  const python = findProgram('python3') ?? '';
  const onTerminal = async (answers: [string, string][], args: string[]) => {
    const child = spawn(
      python,
      [path.join(root, 'test/real/harness/chat-terminal.py'), JSON.stringify(answers), ...commandLine(false), ...args],
      { env: serviceEnvironment(hostler.directory, env), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));
    const { shown, code }: { shown: string; code: number } = JSON.parse(output);
    reported.push(shown);
    return { shown, code };
  };

  test('the secret is not echoed while it is typed, and can be corrected', async () => {
    const typed = `x${testClient.clientSecret}y\u007f`;
    const { shown, code } = await onTerminal(
      [
        ['Client id: ', `${testClient.clientId}\n`],
        ['(not shown): ', `wrong\u0015${typed.slice(1)}\r`],
      ],
      ['chat', 'setup'],
    );
    expect(code).toBe(0);
    expect(shown).toContain(testClient.clientId);
    expect(shown).not.toContain('wrong');
    expect(JSON.parse(fs.readFileSync(stateFile('chat.json'), 'utf8'))).toEqual(testClient);
  });

  test('Ctrl-C changes nothing', async () => {
    const before = fs.readFileSync(stateFile('chat.json'), 'utf8');
    const { code, shown } = await onTerminal([['(not shown): ', 'abc\u0003']], ['chat', 'setup', '--client-id', '5']);
    expect(code).toBe(1);
    expect(shown).toContain('Cancelled');
    expect(fs.readFileSync(stateFile('chat.json'), 'utf8')).toBe(before);
  });
});

describe('with credentials', () => {
  let socket: SocketClient;

  beforeAll(async () => {
    await setUp();
    socket = await connectSocket(hostler);
    await until(async () => JSON.stringify(await get('/api/data/chat')).includes('"authenticated":true'), 'connected');
  });

  afterAll(() => socket.end());

  test.each([
    ['CHAT_CONTROL', 'CHAT_CONTROLLED'],
    ['DISCORD_CONTROL', 'DISCORD_CONTROLLED'],
  ])('%p is answered by %p and takes effect', async (event, reply) => {
    peer.application.set({ mute: false });
    expect(await socket.ask(event, { action: 'MUTE', channel_id: null, value: null })).toMatchObject({
      type: reply,
      subtype: 'NONE',
      data: { action: 'MUTE', mute: true },
    });
    expect(peer.application.voice.mute).toBe(true);
  });

  test.each([
    [{}, 'MISSING_ACTION'],
    [{ action: 'FLY' }, 'INVALID_ACTION'],
    [{ action: 'SET_INPUT_VOLUME', value: 150 }, 'BAD_REQUEST'],
    [{ action: 'JOIN_VOICE_CHANNEL', channel_id: 'nowhere' }, 'FAILED'],
  ])('CHAT_CONTROL with %p is refused as %p', async (data, subtype) => {
    expect(await socket.ask('CHAT_CONTROL', data)).toMatchObject({ type: 'ERROR', subtype });
  });

  test('the command line controls it through the service', async () => {
    expect(await run(['chat', 'unmute'])).toMatchObject({ code: 0 });
    expect(peer.application.voice.mute).toBe(false);
    expect(await run(['chat', 'set-voice-threshold', '-42'])).toMatchObject({ code: 0 });
    expect(peer.application.voice.mode.threshold).toBe(-42);
    expect(await run(['chat', 'join-voice-channel', '100'])).toMatchObject({ code: 0 });
    expect(peer.application.channel?.id).toBe('100');
    const refused = await run(['chat', 'set-input-volume', '900']);
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('from 0 to 100') });
    const { output } = await run(['chat', 'status', '--json']);
    expect(JSON.parse(output)).toMatchObject({ set_up: true, connected: true, authenticated: true, user: 'nelly' });
  });

  test('agents control it while it is set up', async () => {
    const agent = await connectTo(hostler, { mode: 'auto', over: 'http' });
    expect((await agent.listTools()).tools.map(({ name }) => name)).toContain('control_chat');
    const done = await agent.callTool({ name: 'control_chat', arguments: { action: 'deafen' } });
    expect(done.structuredContent).toMatchObject({ action: 'DEAFEN', mute: true, deaf: true });
    expect(peer.application.voice.deaf).toBe(true);
    const refused = await agent.callTool({ name: 'control_chat', arguments: { action: 'fly' } });
    expect(refused.isError).toBe(true);
    reported.push(JSON.stringify([done, refused]));
    await agent.close();
  });

  test('no log, reply, setting or command output contains a secret', async () => {
    for (const route of ['/api/data/chat', '/api/data/discord', '/api/modules', '/api/openapi.json']) await get(route);
    for (const args of [
      ['doctor'],
      ['doctor', '--json'],
      ['modules', '--json'],
      ['settings'],
      ['chat', 'status'],
      ['data', 'chat'],
    ])
      await run(args);
    reported.push(JSON.stringify(await socket.ask('GET_SETTINGS')));
    // Errors are sentences, which must not quote the secret.
    peer.oauth.fault = 'broken';
    peer.oauth.revoke();
    await peer.quit();
    await peer.launch();
    await until(
      async () => JSON.stringify(await get('/api/modules')).includes('returned no token'),
      'it does not work',
    );
    expect(await socket.ask('CHAT_CONTROL', { action: 'MUTE' })).toMatchObject({ subtype: 'FAILED' });
    peer.oauth.fault = null;
    const everything = [
      hostler.output(),
      ...reported,
      ...socket.messages.map((message) => JSON.stringify(message)),
    ].join('\n');
    expect(everything.length).toBeGreaterThan(10_000);
    expect(peer.oauth.secrets.size).toBeGreaterThan(5);
    expect([...peer.oauth.secrets].filter((secret) => everything.includes(secret))).toEqual([]);
    for (const name of ['chat.json', 'chat-token.json']) {
      if (fs.existsSync(stateFile(name))) expect(fs.statSync(stateFile(name)).mode & 0o777).toBe(0o600);
    }
  });

  test('waiting for the application costs almost nothing', async () => {
    await peer.quit();
    await socket.ask('REGISTER_DATA_LISTENER', { modules: ['chat'] });
    await until(async () => JSON.stringify(await get('/api/modules')).includes('is not running'), 'it waits');
    const seconds = 6;
    const before = cpuMs(hostler.pid);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    // A service that polled its socket a hundred times a second would need more than ten times this.
    expect(cpuMs(hostler.pid) - before).toBeLessThan(15 * seconds);
  });
});

/** CPU time of a process, milliseconds. */
function cpuMs(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

describe.skipIf(!needs('node'))('the npm package arrpc, an independent implementation', () => {
  let directory: string;
  let output = '';
  let child: ReturnType<typeof spawn>;

  beforeAll(async () => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-arrpc-'));
    child = spawn(findProgram('node') ?? '', [path.join(root, 'test/doubles/peers/arrpc.mjs')], {
      env: { PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    await until(() => output.includes('arrpc is ready'), `arrpc: ${output}`);
  });

  afterAll(() => {
    child.kill();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const open = async (clientId: string) => {
    const controller = new AbortController();
    const events = { event: () => {}, closed: () => {} };
    const options = { path: path.join(directory, 'discord-ipc-0'), clientId, signal: controller.signal };
    return { controller, rpc: await openRpc(connectVerified, createClock(), options, events) };
  };

  test('completes the handshake and understands our frames', async () => {
    const { rpc, controller } = await open(testClient.clientId);
    const activity = { state: 'Testing with ümlauts and 😀', details: 'x'.repeat(2000) };
    const data = await rpc.request({ cmd: 'SET_ACTIVITY', args: { pid: 1, activity } }, (reply) => reply);
    expect(data).toMatchObject(activity);
    const many = Array.from({ length: 20 }, (_, n) =>
      rpc.request({ cmd: 'SET_ACTIVITY', args: { pid: 1, activity: { state: `${n}` } } }, (reply) => reply),
    );
    expect(await Promise.all(many)).toMatchObject(many.map((_, n) => ({ state: `${n}` })));
    controller.abort();
  });

  test('refuses a client without an id, and the service reports why', async () => {
    const problem = await open('').catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(RpcClosed);
    expect(problem).toMatchObject({ code: 4000 });
  });

  test('is accepted as an application by the service, although it never grants permission', async () => {
    await using service = await startHostler({
      env: { XDG_RUNTIME_DIR: directory },
      prepare(made) {
        askingPeer(made);
        fs.mkdirSync(path.join(made, 'state'), { mode: 0o700 });
        fs.writeFileSync(path.join(made, 'state', 'discord.json'), JSON.stringify(testClient), { mode: 0o600 });
      },
    });
    try {
      await until(async () => {
        const text = await (await service.get('/api/data/chat')).text();
        return text === JSON.stringify({ ...nothing, connected: true });
      }, 'it is connected');
      await until(() => output.includes('"cmd":"AUTHORIZE"'), 'it was asked');
    } finally {
      await service.stop();
    }
  });
});
