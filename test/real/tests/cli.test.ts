import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { allScopes } from '../../../src/features/index.ts';
import { makeNamedPipe } from '../../harness/named-pipe.ts';
import { findProgram, needs } from '../harness/parts.ts';
import {
  commandLine,
  type RunningHostler,
  root,
  runHostler,
  serviceEnvironment,
  spawnHostler,
  startHostler,
  until,
} from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-cli-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const run = (...args: string[]) => runHostler(args, { directory });

describe('help and usage', () => {
  test('--help lists every command in groups, also without arguments; subcommands are in the help of their command', async () => {
    for (const args of [['--help'], [], ['help']]) {
      const { code, stdout } = await run(...args);
      expect(code).toBe(0);
      for (const text of ['Run it:', '  serve', '  token', '  data <module>', '  settings', '  completion <shell>'])
        expect(stdout).toContain(`\n${text}`);
      expect(stdout.trimEnd()).toEndWith('"hostler COMMAND --help" says more about one of them.');
    }
    for (const args of [
      ['settings', '--help'],
      ['help', 'settings'],
    ])
      expect(await run(...args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\n {2}settings get \[key\] .*\n {2}settings set <key> <value> /s),
      });
  });

  test.each([
    [['nonsense'], 'There is no command "nonsense"\n("hostler --help" lists the commands)'],
    [['data'], '<module> is missing; usage: "hostler data <module>"'],
    [['token', 'create', '--name', 'x'], '--scope <scopes> is missing'],
    [['token', 'create', '--name', 'x', '--scope', 'root'], 'There is no scope "root"'],
    [['serve', '--port', 'high'], '--port must be a number from 0 to 65535'],
    [['serve', '--log-level', 'loud'], '--log-level must be one of'],
    [['settings', 'set', 'nothing.here', '1'], 'There is no setting "nothing.here"'],
    [['completion', 'tcsh'], 'There is no completion for "tcsh"'],
    [['--nonsense'], '"hostler" has no option --nonsense'],
  ])('%j is wrong usage: exit code 2 and an error message', async (args, sentence) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('without a running service', () => {
  test('token prints the same token each time, from a file only its owner can read', async () => {
    const first = await run('token');
    expect(first.stdout.trim()).toMatch(/^[\w-]{43}$/);
    expect((await run('token')).stdout).toBe(first.stdout);
    expect(fs.statSync(path.join(directory, 'state', 'token')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.join(directory, 'state')).mode & 0o777).toBe(0o700);
  });

  test('tokens are created, listed, rotated and revoked', async () => {
    const made = await run('token', 'create', '--name', 'ha', '--scope', 'read,media');
    expect(made.code).toBe(0);
    expect(made.stdout.trim()).toMatch(/^[\w-]{43}$/);
    const list = JSON.parse((await run('token', 'list', '--json')).stdout) as { name: string; scopes: string[] }[];
    expect(list.map(({ name, scopes }) => [name, scopes.length])).toEqual([
      ['main', allScopes.length],
      ['ha', 2],
    ]);
    expect((await run('token', 'rotate', 'ha')).stdout).not.toBe(made.stdout);
    expect((await run('token', 'revoke', 'ha')).code).toBe(0);
    const again = await run('token', 'revoke', 'ha');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('There is no token "ha"');
  });

  test('data reads the machine directly: a table for people, JSON for programs', async () => {
    expect((await run('data', 'memory')).stdout).toMatch(/^virtual\n {2}total {6}\d+\n/);
    expect(JSON.parse((await run('data', 'memory', '--json')).stdout).virtual.total).toBeGreaterThan(0);
    const unknown = await run('data', 'nothing');
    expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^hostler: There is no module "nothing"; available: .*memory.*\n$/),
    });
  });

  test('lists are sorted, then shortened', async () => {
    const read = async (...args: string[]) => JSON.parse((await run(...args)).stdout);
    const [last, before, ...others] = await read('data', 'processes', '--sort', '-id', '--limit', '2', '--json');
    expect([last.id > before.id && before.id > 1, others]).toEqual([true, []]);
    const names = (await read('modules', '--sort', '-name', '--limit', '2', '--json')).map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toEqual(['updates', 'system']);
    expect(await run('data', 'cpu', '--limit', 'x')).toMatchObject({
      code: 2,
      stderr: 'hostler: --limit must be one whole number of at least 1\n',
    });
  });

  test.skipIf(!needs('script'))('data on a terminal has units, and its JSON has none', async () => {
    const onTerminal = async (...args: string[]) => {
      const command = [...commandLine(false), 'data', 'memory', ...args].map((word) => `'${word}'`).join(' ');
      const child = spawn(findProgram('script') ?? '', ['-qec', command, '/dev/null'], {
        env: { ...serviceEnvironment(directory, {}), SHELL: '/bin/sh' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      await new Promise((resolve) => child.once('close', resolve));
      return output.replaceAll('\r', '');
    };
    expect(await onTerminal()).toMatch(/^virtual\n {2}total {6}[\d.]+ [KMGT]iB\n/);
    expect(JSON.parse(await onTerminal('--json')).virtual.total).toBeGreaterThan(1e6);
  });

  test('data --watch continues until it is interrupted', async () => {
    const { child, said, ended } = spawnHostler(['data', 'memory', '--watch', '--json'], { directory });
    await until(() => (said.stdout.trim().split('\n').length >= 2 ? true : null));
    child.kill('SIGINT');
    await ended;
    for (const line of said.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('virtual');
  });

  test('modules and doctor report what is available and what is missing', async () => {
    expect((await run('modules')).stdout).toContain('memory');
    const { stdout } = await run('doctor');
    expect(stdout).toContain('not running');
    expect(stdout).toContain('power.sleep');
    const report = JSON.parse((await run('doctor', '--json')).stdout);
    expect(report.service).toBeNull();
    expect(report.actions).toContainEqual({
      name: 'power.sleep',
      available: false,
      reason: expect.stringContaining('not supported'),
    });
  });

  test('settings are shown and changed, and wrong values are refused', async () => {
    expect((await run('settings', 'get', 'server.port')).stdout).toBe('9170\n');
    expect((await run('settings', 'set', 'server.port', '9171')).stdout).toBe(
      'server.port = 9171 (from the next start on)\n',
    );
    expect((await run('settings', 'get', 'server.port')).stdout).toBe('9171\n');
    expect((await run('settings', 'set', 'logLevel', 'DEBUG')).code).toBe(0);
    expect((await run('settings', 'set', 'security.remoteAdmin', 'true')).code).toBe(0);
    const wrong = await run('settings', 'set', 'server.port', '70000');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toBe('hostler: server.port must be at most 65535\n');
    expect(JSON.parse((await run('settings', 'get')).stdout)).toMatchObject({
      server: { port: 9171 },
      logLevel: 'DEBUG',
    });
  });

  test.each(['bash', 'zsh', 'fish', 'powershell'])('there is a completion for %s', async (shell) => {
    expect((await run('completion', shell)).stdout).toMatch(/hostler complete '?--'?/);
  });

  test('completion knows commands, options and modules', async () => {
    const complete = async (...words: string[]) => (await run('complete', '--', ...words)).stdout.trim().split('\n');
    expect(await complete('da')).toEqual(['data']);
    expect(await complete('data', 'mem')).toEqual(['memory']);
    expect(await complete('token', 're')).toEqual(['revoke']);
    expect(await complete('data', 'memory', '--w')).toEqual(['--watch']);
    expect(await complete('')).not.toContain('complete');
  });
});

describe('with a running service', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(() => hostler.stop());

  test('data, modules, doctor and version query the service', async () => {
    const ask = (...args: string[]) => runHostler(args, { directory: hostler.directory });
    const reads = async () => {
      const states = (await (await hostler.get('/api/modules')).json()) as { name: string; cost: { reads: number } }[];
      return states.find(({ name }) => name === 'memory')?.cost.reads ?? 0;
    };
    const before = await reads();
    await until(async () => {
      expect((await ask('data', 'memory')).code).toBe(0);
      return (await reads()) > before ? true : null;
    });
    expect((await ask('doctor')).stdout).toContain(`running as process ${hostler.pid} on port ${hostler.port}`);
    expect((await ask('version', '--json')).stdout).toContain('"running": "6.0.0"');
  });
});

describe('the last use of a token', () => {
  interface Listed {
    name: string;
    last_used: string | null;
    last_address: string | null;
  }

  test('is listed as the running service knows it', async () => {
    await using hostler = await startHostler();
    const list = async () => {
      const { stdout } = await runHostler(['token', 'list', '--json'], { directory: hostler.directory });
      return (JSON.parse(stdout) as Listed[]).map(({ name, last_used, last_address }) => ({
        name,
        last_used,
        last_address,
      }));
    };
    await runHostler(['token', 'create', '--name', 'idle', '--scope', 'read'], { directory: hostler.directory });
    const before = Date.now();
    await fetch(`${hostler.base}/api/data/memory`, { headers: { Authorization: `Bearer ${hostler.token}` } });
    const [main, idle] = await list();
    expect(main).toEqual({ name: 'main', last_used: expect.any(String), last_address: '127.0.0.1' });
    expect(Math.abs(Date.parse(main?.last_used ?? '') - before)).toBeLessThan(3_600_000);
    expect(idle).toEqual({ name: 'idle', last_used: null, last_address: null });
    const table = await runHostler(['token', 'list'], { directory: hostler.directory });
    expect(table.stdout).toMatch(/LAST USED/);
    expect(table.stdout).toMatch(/idle .* never/);
  });

  test('is the saved one where no service runs', async () => {
    const known = async () => JSON.parse((await run('token', 'list', '--json')).stdout) as (Listed & { id: string })[];
    const [first] = await known();
    expect(first?.last_used).toBeNull();
    const uses = { [first?.id ?? '']: { at: Date.UTC(2026, 0, 2), address: '192.0.2.7' } };
    fs.writeFileSync(path.join(directory, 'state', 'token-uses.json'), JSON.stringify(uses));
    expect((await known())[0]).toMatchObject({ last_used: '2026-01-02T00:00:00.000Z', last_address: '192.0.2.7' });
    expect((await run('token', 'list')).stdout).toContain('2026-01-02T00:00:00.000Z from 192.0.2.7');
    fs.rmSync(path.join(directory, 'state', 'token-uses.json'));
  });
});

describe('what the command line sends, and where', () => {
  /** Answers every request like a healthy service, and records it. */
  async function listener() {
    const seen: string[] = [];
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        seen.push(chunk.toString());
        const body = '{"status":"healthy","version":"6.0.0"}';
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { seen, server, port: (server.address() as net.AddressInfo).port };
  }

  test('a proxy from the environment receives nothing', async () => {
    const proxy = await listener();
    await using hostler = await startHostler();
    const url = `http://127.0.0.1:${proxy.port}`;
    const env = { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url };
    const { stdout } = await runHostler(['data', 'memory', '--json'], { directory: hostler.directory, env });
    expect(JSON.parse(stdout)).toHaveProperty('virtual');
    expect(proxy.seen).toEqual([]);
    await hostler.stop();
    proxy.server.close();
  });

  test('a process that takes the port of a crashed service receives no usable token', async () => {
    const squatter = await listener();
    const where = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-squat-'));
    const secret = (await runHostler(['token'], { directory: where })).stdout.trim();
    for (const pid of [process.pid, 2 ** 22 - 1]) {
      const info = { pid, host: '127.0.0.1', port: squatter.port, token: 'of-the-run-that-died' };
      fs.writeFileSync(path.join(where, 'state', 'service.json'), JSON.stringify(info));
      await runHostler(['data', 'memory'], { directory: where });
    }
    expect(squatter.seen.join()).not.toContain(secret);
    squatter.server.close();
    fs.rmSync(where, { recursive: true });
  });

  test('output larger than a pipe buffer arrives complete', async () => {
    const where = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pipe-'));
    fs.mkdirSync(path.join(where, 'config'));
    const hosts = Array.from({ length: 100 }, (_, index) => `${'x'.repeat(250)}${index}`);
    const directories = hosts.map((name) => ({ name, path: `/${'y'.repeat(2000)}` }));
    const settings = { security: { allowedHosts: hosts }, media: { directories } };
    fs.writeFileSync(path.join(where, 'config', 'settings.json'), JSON.stringify(settings));
    const { stdout } = await runHostler(['settings', 'get'], { directory: where });
    expect(stdout.length).toBeGreaterThan(200_000);
    expect(JSON.parse(stdout)).toMatchObject(settings);
    fs.rmSync(where, { recursive: true });
  });

  test('doctor reports a broken settings file and does not move it', async () => {
    const where = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-broken-'));
    fs.mkdirSync(path.join(where, 'config'));
    fs.writeFileSync(path.join(where, 'config', 'settings.json'), '{"logLevel": }');
    const { stdout } = await runHostler(['doctor'], { directory: where });
    expect(stdout).toContain('value expected at line 1, column 14');
    expect(fs.readdirSync(path.join(where, 'config'))).toEqual(['settings.json']);
    fs.rmSync(where, { recursive: true });
  });
});

describe('starting and stopping', () => {
  test('the start message says where it listens, where the token is and how to show it, but never the token', async () => {
    await using hostler = await startHostler();
    expect(hostler.output()).toContain(`http://127.0.0.1:${hostler.port}`);
    expect(hostler.output()).toContain(path.join(hostler.directory, 'state', 'token'));
    expect(hostler.output()).toContain('"hostler token" prints it');
    expect(hostler.output()).not.toContain(hostler.token);
    expect(await hostler.stop()).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0, also while a client does not read', async (signal) => {
    await using hostler = await startHostler({
      prepare(where) {
        fs.mkdirSync(path.join(where, 'home', 'Videos'));
        fs.writeFileSync(path.join(where, 'home', 'Videos', 'big.mp4'), Buffer.alloc(50 * 1024 * 1024));
      },
    });
    const socket = net.connect(hostler.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `GET /api/media/file/data?base=videos&path=big.mp4&token=${hostler.token} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('readable', resolve));
    expect(await hostler.stop(signal)).toBe(0);
    socket.destroy();
  });

  test('the last output reaches a slow reader', async () => {
    const lastWords = async () => {
      const fifo = path.join(directory, 'log');
      fs.rmSync(fifo, { force: true });
      makeNamedPipe(fifo);
      const reader = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
      // The pipe is full before the first line of the log.
      const full = 'exec 2>"$0"; head -c 65536 /dev/zero >&2; exec "$@"';
      await using hostler = await startHostler({ through: ['sh', '-c', full, fifo] });
      const client = await connectSocket(hostler);
      await client.ask('EXIT_APPLICATION');
      const service = path.join(hostler.directory, 'state', 'service.json');
      await until(() => (fs.existsSync(service) ? null : true));
      const log = await readToEnd(reader);
      await hostler.stop();
      return log;
    };
    const tries = [await lastWords()];
    // On a very busy machine the reader may be later than the service waits for it, but not always.
    while (tries.length < 5 && !tries.at(-1)?.includes('stopped the service')) tries.push(await lastWords());
    expect(tries.at(-1)).toContain('stopped the service');
  });

  test('Ctrl-C at a terminal, which signals the whole process group, ends it with 0 as well', async () => {
    const child = spawn(
      findProgram('node') ?? '',
      [path.join(root, 'scripts', 'hostler.mjs'), 'serve', '--port', '0'],
      {
        env: serviceEnvironment(directory, {}),
        detached: true,
      },
    );
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await until(() => (output.includes('listening on') ? true : null));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await ended).toBe(0);
    expect(fs.existsSync(path.join(directory, 'state', 'service.json'))).toBe(false);
  });

  test('the runtime files are removed at exit', async () => {
    await using hostler = await startHostler({ args: ['--host', '127.0.0.1'] });
    const file = path.join(hostler.directory, 'state', 'service.json');
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
      pid: hostler.pid,
      host: '127.0.0.1',
      port: hostler.port,
      started: expect.stringMatching(/^[0-9a-f-]{36} \d+$/),
      socket: path.join(hostler.directory, 'state', `cli-${hostler.pid}.sock`),
    });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    process.kill(hostler.pid, 'SIGTERM');
    await until(() => (fs.existsSync(file) ? null : true));
    await hostler.stop();
  });

  const hasIpv6 = fs.existsSync('/proc/net/if_inet6');
  if (!hasIpv6) console.warn('skipped: both addresses of localhost: this machine has no IPv6');

  test.skipIf(!hasIpv6).each(['127.0.0.1', '::1', '0.0.0.0'])(
    'at %s no other user can take the other address of localhost, or the log names it',
    async (host) => {
      const addresses = ['127.0.0.1', '[::1]'];
      await using hostler = await startHostler({ env: { SERVICE_HOST: host } });
      for (const address of addresses) {
        expect((await fetch(`http://${address}:${hostler.port}/api/health`)).status).toBe(200);
        const socket = new WebSocket(`ws://${address}:${hostler.port}/api/websocket`);
        const outcome = await new Promise((resolve) => {
          for (const type of ['open', 'error']) socket.addEventListener(type, () => resolve(type));
        });
        expect([address, outcome]).toEqual([address, 'open']);
        socket.close();
      }
      await hostler.stop();
      const other = net.createServer().listen(hostler.port, host === '::1' ? '127.0.0.1' : '::1');
      await new Promise((resolve) => other.once('listening', resolve));
      const again = startHostler({ env: { SERVICE_HOST: host }, args: ['--port', String(hostler.port)] });
      await using beside = await again.finally(() => other.close());
      expect(beside.output()).toContain(`may answer at http://localhost:${hostler.port}`);
    },
  );

  test('a port in use is one error message with the remedy, and exit code 1', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as net.AddressInfo;
    const { code, stdout, stderr } = await runHostler(['serve'], { directory, env: { SERVICE_PORT: String(port) } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^hostler: Port ${port} is in use by another program.*SERVICE_PORT=.*\\n$`));
    other.close();
  });

  test('a second Hostler does not share the port of the first', async () => {
    await using first = await startHostler();
    const second = await runHostler(['serve'], { directory, env: { SERVICE_PORT: String(first.port) } });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`Port ${first.port} is in use by another program (perhaps another Hostler)`);
    await first.stop();
  });

  test('a second Hostler of the same user reports that the first is running, and where', async () => {
    await using first = await startHostler();
    const second = await runHostler(['serve'], {
      directory: first.directory,
      env: { SERVICE_PORT: String(first.port) },
    });
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Hostler is running already, as process ${first.pid} on ${first.base}; "hostler open"`,
      ),
    });
  });

  test('a second Hostler on the same state directory leaves the command socket to the first', async () => {
    await using first = await startHostler();
    await using second = await startHostler({ directory: first.directory });
    expect(second.output()).toContain('Another Hostler is using this state directory');
    // Its own stop would remove the directory of both.
    process.kill(second.pid, 'SIGTERM');
    await until(() => (fs.existsSync(`/proc/${second.pid}/exe`) ? null : true));
    const { stdout } = await runHostler(['doctor'], { directory: first.directory });
    expect(stdout).toContain(`running as process ${first.pid}`);
    await first.stop();
  });

  test.each(['abc', '0', '65536', '-1', '80.5', '9170x', ' ', '1e3'])(
    'SERVICE_PORT=%j is one error message that names it, and exit code 2',
    async (port) => {
      const { code, stderr } = await runHostler(['serve'], { directory, env: { SERVICE_PORT: port } });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `hostler: SERVICE_PORT must be a number from 1 to 65535, but it is ${JSON.stringify(port)}\n`,
      });
    },
  );

  test('an unusable state directory is one error message, and exit code 1', async () => {
    const file = path.join(directory, 'a-file');
    fs.writeFileSync(file, '');
    const { code, stderr } = await runHostler(['serve'], {
      directory,
      env: { SERVICE_STATE_DIR: path.join(file, 'state') },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^hostler: The state directory .* cannot be used .*SERVICE_STATE_DIR to another one\n$/);
    const doctor = await runHostler(['doctor'], { directory, env: { SERVICE_STATE_DIR: path.join(file, 'state') } });
    expect(doctor.stdout).toMatch(/^ *✗ state .* cannot be used: /m);
    expect(doctor.stdout).not.toContain('it is created at the first start');
  });

  test('an address that this machine does not have is one error message, and exit code 1', async () => {
    const { code, stderr } = await runHostler(['serve'], {
      directory,
      env: { SERVICE_HOST: '192.0.2.1', SERVICE_PORT: '9199' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('"192.0.2.1" is not an address of this machine');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a broken settings file is renamed, and the service starts with defaults', async () => {
    await using hostler = await startHostler({
      prepare(where) {
        fs.mkdirSync(path.join(where, 'config'));
        fs.writeFileSync(path.join(where, 'config', 'settings.json'), '{"logLevel": }');
      },
    });
    expect((await hostler.get('/api/health', {})).status).toBe(200);
    expect(hostler.output()).toContain('is broken: value expected at line 1, column 14');
    expect(fs.readdirSync(path.join(hostler.directory, 'config')).join()).toMatch(/^settings\.json\.broken-/);
    await hostler.stop();
  });

  test('.env and bunfig.toml of the working directory have no effect', async () => {
    const where = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-cwd-'));
    fs.writeFileSync(path.join(where, '.env'), 'SERVICE_PORT=nonsense\n');
    fs.writeFileSync(path.join(where, 'bunfig.toml'), 'preload = ["./evil.ts"]\n');
    fs.writeFileSync(path.join(where, 'evil.ts'), 'console.log("EVIL")\n');
    for (const compiled of [false, true]) {
      const { said, ended } = spawnHostler(['version'], { cwd: where, directory, compiled });
      await ended;
      expect(said.stdout).toBe('6.0.0\n');
    }
    fs.rmSync(where, { recursive: true });
  });
});

describe('the compiled file', () => {
  test('serves and answers like the source', async () => {
    await using hostler = await startHostler({ compiled: true });
    expect((await hostler.get('/api/data/memory')).status).toBe(200);
    expect((await hostler.get('/api/data/system')).status).toBe(200);
    expect((await hostler.get('/api/openapi.json', {})).status).toBe(200);
    expect((await hostler.get('/api/docs', {})).status).toBe(200);
    expect(await hostler.stop()).toBe(0);
  });

  test('contains no code of other platforms', () => {
    const program = fs.readFileSync(commandLine(true)[0]);
    // The bundler appends a hash to the name of each file.
    expect(program.includes('create-linux-host-')).toBe(true);
    expect(program.includes('create-windows-host-')).toBe(false);
  });

  test('runs alone in an empty directory without Node or npm on the path', async () => {
    const alone = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-alone-'));
    fs.copyFileSync(commandLine(true)[0], path.join(alone, 'hostler'));
    const child = spawn(path.join(alone, 'hostler'), ['data', 'memory', '--json'], {
      cwd: alone,
      env: { ...serviceEnvironment(alone, {}), PATH: '/nowhere' },
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(JSON.parse(output).virtual.total).toBeGreaterThan(0);
    fs.rmSync(alone, { recursive: true });
  });
});

/** The content of a pipe until its last writer is gone. */
async function readToEnd(descriptor: number): Promise<string> {
  const pieces: Buffer[] = [];
  await until(() => {
    const piece = Buffer.alloc(65_536);
    try {
      const length = fs.readSync(descriptor, piece);
      pieces.push(piece.subarray(0, length));
      return length === 0 ? true : null;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
      throw error;
    }
  });
  fs.closeSync(descriptor);
  return Buffer.concat(pieces).toString();
}
