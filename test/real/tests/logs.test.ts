// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { needs } from '../harness/parts.ts';
import {
  commandLine,
  postJson,
  type RunningHostler,
  runHostler,
  serviceEnvironment,
  startHostler,
  until,
} from '../harness/service.ts';

setDefaultTimeout(180_000);

const debug = { env: { SERVICE_LOG_LEVEL: 'DEBUG' } };
const linesOf = (hostler: RunningHostler, part: string) =>
  hostler
    .output()
    .split('\n')
    .filter((line) => line.includes(part));
const said = (hostler: RunningHostler, part: string | RegExp) =>
  until(() => (hostler.output().match(part) === null ? null : true));

const settingsFile = (settings: object) => (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
};

describe('one line per request, at DEBUG', () => {
  test('has method, path, status, time, address and token, and never a secret or the query', async () => {
    await using hostler = await startHostler(debug);
    await hostler.get('/api/data/cpu?fields=usage');
    await hostler.get('/api/health', {});
    await hostler.get('/api/data/cpu?token=hidden-in-the-query', {});
    await hostler.get('/api/nosuch', {});
    await said(hostler, /GET \/api\/nosuch/);
    const line = (what: string, who: string) =>
      new RegExp(`^\\S+ DEBUG http: ${what} in [\\d.]+ ms, from 127\\.0\\.0\\.1, ${who}$`, 'm');
    expect(hostler.output()).toMatch(line('GET /api/data/cpu 200', 'with the token "main"'));
    expect(hostler.output()).toMatch(line('GET /api/health 200', 'without a valid token'));
    expect(hostler.output()).toMatch(line('GET /api/data/cpu 40[01]', 'without a valid token'));
    expect(hostler.output()).toMatch(line('GET /api/nosuch 404', 'without a valid token'));
    for (const secret of [hostler.token, 'hidden-in-the-query', 'fields=']) {
      expect(hostler.output()).not.toContain(secret);
    }
  });

  test('also for the WebSocket and the command line', async () => {
    await using hostler = await startHostler(debug);
    const socket = new WebSocket(`${hostler.base.replace('http', 'ws')}/api/websocket`);
    await new Promise((resolve) => {
      const request = { id: '1', event: 'GET_DATA', token: hostler.token, data: { modules: ['cpu'] } };
      socket.addEventListener('open', () => socket.send(JSON.stringify(request)));
      socket.addEventListener('message', resolve);
    });
    socket.close();
    await runHostler(['data', 'memory'], { directory: hostler.directory });
    await said(
      hostler,
      /commands: GET \/data\/memory 200 in [\d.]+ ms, from 127\.0\.0\.1, with the token "command line"/,
    );
    await said(hostler, /http: GET \/api\/websocket 101 in/);
    await said(hostler, /ws: "GET_DATA" \w+ in [\d.]+ ms, from 127\.0\.0\.1, with the token "main"/);
    expect(hostler.output()).not.toContain(hostler.token);
  });

  test('is not logged at INFO', async () => {
    await using hostler = await startHostler();
    await hostler.get('/api/data/cpu');
    await hostler.get('/api/data/cpu', { 'X-API-Token': 'wrong' });
    await said(hostler, 'wrong token');
    expect(hostler.output()).not.toContain('/api/data/cpu');
  });
});

describe('wrong tokens', () => {
  /** As from another machine: all addresses of 127.0.0.0/8 are local. */
  const from = (address: string, port: number, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      http
        .get(
          { host: '127.0.0.1', port, path: '/api/data/cpu', localAddress: address, headers, agent: false },
          (answer) => {
            answer.resume();
            answer.on('end', () => resolve(answer.statusCode ?? 0));
          },
        )
        .on('error', reject);
    });

  test('are logged with their address, up to a number per minute, with a count of the rest', async () => {
    await using hostler = await startHostler();
    const ended = hostler.stop.bind(hostler);
    for (let i = 1; i <= 100; i += 1) {
      const wrong = { 'X-API-Token': `secret-${i}` };
      expect(await from(`127.0.${i}.1`, hostler.port, wrong)).toBe(401);
    }
    await said(hostler, 'wrong token');
    const lines = linesOf(hostler, 'a wrong token or code from');
    expect(lines).toHaveLength(20);
    expect(lines[6]).toMatch(/^\S+ INFO {2}access: a wrong token or code from 127\.0\.7\.1$/);
    expect(hostler.output()).not.toContain('secret-');
    expect(await ended()).toBe(0);
    expect(hostler.output()).toContain('access: 80 more wrong tokens or codes in this minute');
  });

  test('from one address end with one line that the address is blocked', async () => {
    await using hostler = await startHostler();
    for (let i = 0; i < 200; i += 1) await hostler.get('/api/data/cpu', { 'X-API-Token': `wrong-${i}` });
    await said(hostler, 'too many wrong tokens from 127.0.0.1');
    expect(linesOf(hostler, 'access: ').length).toBeLessThan(25);
  });

  test('unauthenticated requests do not fill the log at DEBUG either', async () => {
    await using hostler = await startHostler(debug);
    for (let i = 0; i < 300; i += 1) await hostler.get('/api/health', {});
    expect(linesOf(hostler, 'GET /api/health').length).toBeLessThanOrEqual(120);
    expect(await hostler.stop()).toBe(0);
  });
});

describe('logFormat json', () => {
  const everyLine = (hostler: RunningHostler) => hostler.output().trimEnd().split('\n');

  test('makes every line an object with time, level and message, including those before the settings were read', async () => {
    await using hostler = await startHostler({ prepare: settingsFile({ logFormat: 'json', logLevle: 'DEBUG' }) });
    await hostler.get('/api/data/cpu', { 'X-API-Token': 'wrong' });
    await said(hostler, 'wrong token');
    const entries = everyLine(hostler).map((line) => JSON.parse(line) as Record<string, string>);
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(['time', 'level', 'message']);
      expect(new Date(entry.time ?? '').getTime()).toBeGreaterThan(0);
    }
    const messages = entries.map(({ level, message }) => `${level} ${message}`).join('\n');
    expect(messages).toMatch(/^WARN .*settings\.json: there is no setting logLevle .*; did you mean logLevel\?$/m);
    expect(messages).toContain('INFO Hostler ');
    expect(messages).toContain('INFO access: a wrong token or code from 127.0.0.1');
    // "hostler logs" has its own --json.
    const { stdout } = await runHostler(['logs'], { directory: hostler.directory });
    expect(stdout).toMatch(/^\S+ INFO {2}access: a wrong token or code from 127\.0\.0\.1$/m);
  });

  test('the environment overrides the settings, a change takes effect at once, and other values are refused', async () => {
    await using hostler = await startHostler({ env: { SERVICE_LOG_FORMAT: 'json' } });
    expect(() => everyLine(hostler).map((line) => JSON.parse(line))).not.toThrow();
    await using plain = await startHostler();
    const { directory } = plain;
    expect((await runHostler(['settings', 'set', 'logFormat', 'json'], { directory })).code).toBe(0);
    await until(async () => {
      await plain.get('/api/data/cpu', { 'X-API-Token': 'wrong' });
      return plain.output().includes('"message":"access: ') ? true : null;
    });
    const refused = await runHostler(['serve', '--port', '0'], { env: { SERVICE_LOG_FORMAT: 'xml' } });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('SERVICE_LOG_FORMAT must be one of text, json, but it is "xml"');
    expect((await runHostler(['settings', 'set', 'logFormat', 'xml'])).code).toBe(2);
  });
});

test('an unknown settings key is reported at start, and by doctor and settings', async () => {
  await using hostler = await startHostler({ prepare: settingsFile({ server: { prot: 1 } }) });
  expect(hostler.output()).toMatch(/WARN .*: there is no setting server\.prot .*; did you mean server\.port\?/);
  const { directory } = hostler;
  expect((await runHostler(['doctor'], { directory })).stdout).toContain('did you mean server.port?');
  const asked = await runHostler(['settings', 'get', 'loglevel'], { directory });
  expect(asked).toMatchObject({ code: 2 });
  expect(asked.stderr).toContain('did you mean logLevel?');
});

const canMount =
  needs('unshare') &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;
if (!canMount) console.warn('skipped: a full disk needs root, who may mount one');

describe.skipIf(!canMount)('a full disk', () => {
  // Private mounts, which end with it. The token stays the one that is visible outside.
  const onSmallDisk = `cp -a "$SERVICE_STATE_DIR" "$HOME/kept" &&
    mount -t tmpfs -o size=256k,mode=700 none "$SERVICE_STATE_DIR" &&
    cp -a "$HOME/kept/." "$SERVICE_STATE_DIR" && exec "$@"`;

  test('is reported once to clients and in the log, and so is its end', async () => {
    const { directory } = await runHostler(['token']);
    await using hostler = await startHostler({
      directory,
      through: ['unshare', '--mount', '--propagation=private', 'sh', '-c', onSmallDisk, 'sh'],
      // The settings on the same disk.
      env: { SERVICE_CONFIG_DIR: path.join(directory, 'state', 'config') },
    });
    const inside = `/proc/${hostler.pid}/root${path.join(directory, 'state')}`;
    const post = async (route: string, body: object) => {
      return JSON.stringify(await (await postJson(hostler, route, body)).json());
    };
    const fill = (name: string, bytes: number) => {
      try {
        fs.writeFileSync(path.join(inside, name), Buffer.alloc(bytes));
      } catch {
        // That is what it is for.
      }
    };
    fill('filler', 1024 * 1024);
    for (let i = 0; i < 3; i += 1) await post('/api/control/pause', {});
    await post('/api/control/resume', {});
    await said(hostler, 'is full');
    expect(linesOf(hostler, 'ERROR The disk with')).toHaveLength(1);
    expect(hostler.output()).toContain(
      `The disk with ${path.join(directory, 'state')} is full: changes cannot be saved`,
    );
    expect(await post('/api/settings/update', { logLevel: 'WARN' })).toMatch(
      /The settings cannot be written: the disk with \S+config is full/,
    );
    expect(hostler.output()).not.toContain('ENOSPC');
    fs.rmSync(path.join(inside, 'filler'));
    await post('/api/control/pause', {});
    await said(hostler, 'has space again');
  });

  test('prevents the first start with an error message, because no token can be written', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    const state = path.join(directory, 'state');
    fs.mkdirSync(state, { mode: 0o700 });
    const fillFirst = `mount -t tmpfs -o size=16k,mode=700 none "$SERVICE_STATE_DIR" &&
      { head -c 100000 /dev/zero > "$SERVICE_STATE_DIR/filler"; exec "$@"; }`;
    const env = serviceEnvironment(directory, {});
    const through = ['--mount', '--propagation=private', 'sh', '-c', fillFirst, 'sh'];
    const { stderr, status } = spawnSync('unshare', [...through, ...commandLine(false), 'serve', '--port', '0'], {
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('hostler: The token cannot be written: ');
    expect(stderr).toContain(`the disk with ${state} is full. Free some space on it, then start again`);
    fs.rmSync(directory, { recursive: true });
  });
});
