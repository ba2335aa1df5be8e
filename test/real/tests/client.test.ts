import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Client, type ClientError, type ClientState, createClient } from '@hostler/client/client.ts';
import { until } from '../../harness/until.ts';
import { launchChromium } from '../harness/chromium.ts';
import { halt } from '../harness/halt.ts';
import { needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, root, runHostler, startHostler } from '../harness/service.ts';

let hostler: RunningHostler;
let scratch: string;
const clients: Client[] = [];
beforeAll(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-client-'));
  hostler = await startHostler();
});
afterAll(async () => {
  for (const client of clients) client.close();
  await hostler?.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});

/** A client whose states and problems are recorded. */
function connect(options: Parameters<typeof createClient>[0]) {
  const states: ClientState[] = [];
  const sentences: string[] = [];
  const problems: unknown[] = [];
  const client = createClient({ retryMs: 50, onProblem: (problem) => problems.push(problem), ...options });
  clients.push(client);
  client.onState((state, sentence) => {
    states.push(state);
    sentences.push(sentence);
  });
  return { client, states, sentences, problems };
}

const here = () => ({ url: hostler.base, token: hostler.token });

describe('the client', () => {
  test('reads, listens and calls actions over one connection', async () => {
    const { client, states, problems } = connect({ where: here() });
    const memory = await client.read('memory');
    expect(memory.virtual.total).toBeGreaterThan(0);
    const seen = new Map<string, number>();
    const stop = client.listen(['cpu', 'memory'], (module, data) => {
      seen.set(module, (seen.get(module) ?? 0) + 1);
      if (module === 'cpu') expect(data.count).toBeGreaterThan(0);
    });
    await until(() => (seen.get('cpu') ?? 0) >= 2 && seen.has('memory'), 'two updates');
    stop();
    const problemOf = (work: Promise<unknown>) => work.then(String, ({ code }: ClientError) => code);
    expect(await problemOf(client.read('nonsense' as 'cpu'))).toBe('ABSENT');
    expect(await problemOf(client.request('NONSENSE' as string))).toBe('UNKNOWN_EVENT');
    expect(await problemOf(client.request('POWER_LOCK', { delay: -1 }))).toBe('BAD_REQUEST');
    await client.read('system');
    expect({ states, problems }).toEqual({ states: ['connecting', 'open'], problems: [] });
    client.close();
    expect(client.state).toBe('closed');
  });

  test('an invalid token is refused once, without a retry', async () => {
    const { client, states, sentences } = connect({ where: { ...here(), token: 'x'.repeat(43) } });
    const refused = await client.request('GET_DATA' as string, { modules: [] }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'BAD_TOKEN' });
    expect(states).toEqual(['connecting', 'refused']);
    expect(sentences.at(-1)).toContain('token');
  });

  test('a token that is revoked while connected ends the connection, and the next attempt reports why', async () => {
    const token = await createToken(hostler, 'page', 'read');
    const { client, states, sentences } = connect({ where: { ...here(), token } });
    await client.read('memory');
    await runHostler(['token', 'revoke', 'page'], hostler);
    await until(() => client.state === 'refused', 'the end of the connection');
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'refused']);
    expect(sentences[2]).toBe('the token was revoked, or may do less');
  });

  test('listeners continue after the service was killed and restarted; pending requests fail', async () => {
    await using first = await startHostler();
    const { client, states } = connect({ where: { url: first.base, token: first.token } });
    let updates = 0;
    client.listen(['memory'], () => {
      updates++;
    });
    await until(() => updates > 0, 'the first update');
    await halt(first.pid);
    const underWay = client.request('GET_DATA' as string, { modules: [] }).catch((error: unknown) => error);
    await first.stop('SIGKILL');
    expect(await underWay).toMatchObject({ code: 'CONNECTION_LOST' });
    const waiting = client.read('system');
    updates = 0;
    await using second = await startHostler({ args: ['--port', String(first.port)], prepare: withToken(first.token) });
    await until(() => updates > 0, 'an update by the second service');
    expect((await waiting).version).toBe('6.0.0');
    expect(states.slice(0, 3)).toEqual(['connecting', 'open', 'waiting']);
    client.close();
    await second.stop();
  });

  test('a connection whose peer went silent is closed and reopened', async () => {
    const valve = await startValve(hostler.port);
    const { client, states, sentences } = connect({ where: { ...here(), url: valve.url }, quietMs: 300 });
    let updates = 0;
    client.listen(['memory'], () => {
      updates++;
    });
    await until(() => updates > 0, 'the first update');
    valve.cutThose();
    updates = 0;
    await until(() => updates > 0, 'an update over a new connection');
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
    expect(sentences[2]).toBe('The service stopped responding');
    client.close();
    valve.close();
  });

  test('an address that accepts connections and never answers is tried again', async () => {
    const deaf = net.createServer(() => {}).listen(0, '127.0.0.1');
    await until(() => deaf.listening, 'the deaf server');
    const { port } = deaf.address() as net.AddressInfo;
    const { client, states } = connect({ where: { ...here(), url: `http://127.0.0.1:${port}` }, connectMs: 100 });
    await until(() => states.filter((state) => state === 'waiting').length > 1, 'a second attempt');
    client.close();
    deaf.close();
  });
});

test('the document of messages that clients send and receive needs no token', async () => {
  const response = await hostler.get('/api/asyncapi.json', {});
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await response.json()).toMatchObject({
    asyncapi: '3.0.0',
    channels: { websocket: { address: '/api/websocket' } },
    operations: { GET_DATA: {}, POWER_LOCK: { 'x-scopes': ['control', 'power'] } },
  });
});

describe('data --watch', () => {
  test('shows what the service pushes, also after a restart', async () => {
    // Both have the same state directory, but different ports and tokens.
    const state = fs.mkdtempSync(path.join(scratch, 'state-'));
    const prepare = (directory: string) => fs.symlinkSync(state, path.join(directory, 'state'));
    await using first = await startHostler({ prepare });
    const child = spawn(
      process.execPath,
      ['--no-env-file', '--config=/dev/null', 'src/main.ts', 'data', 'memory', '--watch', '--json'],
      { cwd: root, env: { ...process.env, SERVICE_STATE_DIR: state } },
    );
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    const lines = () => output.split('\n').length - 1;
    await until(() => lines() >= 3, 'three lines');
    for (const line of output.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('virtual.total');
    await first.stop('SIGKILL');
    await until(() => complaints.includes('waiting for the service'), 'a word about the loss');
    await using second = await startHostler({ prepare });
    const before = lines();
    await until(() => lines() > before + 1, 'lines of the second service');
    child.kill('SIGINT');
    await second.stop();
  });
});

describe('on other runtimes', () => {
  let built: string;
  beforeAll(() => {
    const { status, stderr } = spawnSync('node', ['scripts/build-client.mjs'], { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the client could not be built: ${stderr}`);
    built = path.join(root, 'dist', 'client', 'client.js');
    fs.mkdirSync(path.join(scratch, 'node_modules'));
    fs.symlinkSync(root, path.join(scratch, 'node_modules', 'hostler'));
    fs.writeFileSync(path.join(scratch, 'package.json'), '{"type":"module"}');
  });

  const script = (construct: string) => `
    ${construct}
    const { createClient } = await import('hostler/client');
    const client = createClient({ where: JSON.parse(process.argv[2]), WebSocket });
    const { virtual } = await client.read('memory');
    client.listen(['cpu'], (module, { count }) => {
      console.log(JSON.stringify({ total: virtual.total, module, count }));
      client.close();
    });`;
  const inNode = (flags: string[], construct: string) => {
    fs.writeFileSync(path.join(scratch, 'program.mjs'), script(construct));
    const args = [...flags, 'program.mjs', JSON.stringify(here())];
    return spawnSync('node', args, { cwd: scratch, encoding: 'utf8', timeout: 60_000 });
  };

  test.skipIf(!needs('node'))('in Node, with its own WebSocket', () => {
    const old = spawnSync('node', ['-p', 'typeof WebSocket'], { encoding: 'utf8' }).stdout.trim() === 'undefined';
    const { stdout } = inNode(old ? ['--experimental-websocket'] : [], 'const { WebSocket } = globalThis;');
    expect(JSON.parse(stdout)).toMatchObject({ module: 'cpu', count: os.cpus().length });
  });

  test.skipIf(!needs('node'))('in Node, with that of the package ws', () => {
    const { stdout, stderr } = inNode(
      [],
      `import { createRequire } from 'node:module';
       const WebSocket = createRequire(${JSON.stringify(`${root}/`)})('playwright-core/lib/utilsBundle').ws;`,
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ module: 'cpu', count: os.cpus().length });
  });

  test.skipIf(!needs('chromium'))('in a browser, through a restart of the service', async () => {
    await using first = await startHostler();
    const browser = await launchChromium(scratch);
    try {
      const page = await browser.newPage();
      await page.goto(`${first.base}/api/health`);
      const code = `data:text/javascript;base64,${fs.readFileSync(built).toString('base64')}`;
      await page.evaluate(`(async () => {
        const { createClient } = await import(${JSON.stringify(code)});
        globalThis.states = [];
        globalThis.updates = 0;
        globalThis.client = createClient({ where: { url: location.origin, token: ${JSON.stringify(first.token)} }, retryMs: 50, maxRetryMs: 500 });
        client.onState((state) => states.push(state));
        client.listen(['memory'], () => { updates++; });
      })()`);
      const updates = () => page.evaluate<number>('updates');
      await until(async () => (await updates()) > 0, 'the first update in the page');
      await first.stop('SIGKILL');
      await until(async () => (await page.evaluate('client.state')) !== 'open', 'the loss');
      const before = await updates();
      await using second = await startHostler({
        args: ['--port', String(first.port)],
        prepare: withToken(first.token),
      });
      await until(async () => (await updates()) > before, 'an update by the second service');
      expect(await page.evaluate('states.slice(0, 3)')).toEqual(['connecting', 'open', 'waiting']);
      await second.stop();
    } finally {
      await browser.close();
    }
  });

  test('its types are strict, and need only browser types', () => {
    const program = `
      import { createClient, type ModulePayloads } from 'hostler/client';
      const client = createClient({ where: { url: 'http://127.0.0.1:9170', token: '' } });
      export const usage: Promise<number | null> = client.read('cpu').then(({ usage }) => usage);
      client.listen(['cpu', 'memory'], (module, data) => {
        if (module === 'cpu') data satisfies ModulePayloads['cpu'];
        else data.virtual.total satisfies number | null;
      });
      // @ts-expect-error: there is no such module
      client.read('nonsense').then(({ usage }) => usage);
      // @ts-expect-error: a delay is a number
      client.request('POWER_LOCK', { delay: 'long' });
      client.request('POWER_LOCK', { delay: 1 }).then(({ data }) => data.at satisfies string);`;
    fs.writeFileSync(path.join(scratch, 'program.ts'), program);
    const flags =
      '--strict --noEmit --module esnext --moduleResolution bundler --target esnext --lib esnext,dom --types';
    const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = spawnSync(tsc, [...flags.split(' '), '', 'program.ts'], { cwd: scratch, encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  test('it is small, and has no dependencies', () => {
    const code = fs.readFileSync(built);
    const packed = spawnSync('gzip', ['-9c'], { input: code }).stdout.length;
    expect(packed).toBeLessThan(5 * 1024);
    expect(code.toString()).not.toMatch(/\b(?:require|Bun|process)\b|from ?["']/);
  });
});

/** The state directory of a service that has this token. */
const withToken = (token: string) => (directory: string) => {
  fs.mkdirSync(path.join(directory, 'state'), { mode: 0o700 });
  fs.writeFileSync(path.join(directory, 'state', 'token'), `${token}\n`, { mode: 0o600 });
};

/** Forwards connections, and can let them hang silently: what a dead network looks like. */
async function startValve(port: number) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
  });
  server.listen(0, '127.0.0.1');
  await until(() => server.listening, 'the valve');
  const { port: own } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    cutThose() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close').pause();
      }
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
