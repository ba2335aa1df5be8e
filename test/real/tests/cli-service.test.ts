import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { needs } from '../harness/parts.ts';
import {
  commandLine,
  type RunningHostler,
  runHostler,
  serviceEnvironment,
  spawnHostler,
  startHostler,
  until,
} from '../harness/service.ts';

let hostler: RunningHostler;
beforeAll(async () => {
  hostler = await startHostler();
});
afterAll(async () => void (await hostler.stop()));

const run = (...args: string[]) => runHostler(args, { directory: hostler.directory });
const setLogLevel = (level: string) => run('do', 'settings.update', `logLevel=${level}`);

describe('wrong usage exits with 2, whether the command line or the service detects it', () => {
  test.each([
    [['data', 'nosuch'], 'There is no module "nosuch"; available: '],
    [['data', 'cpu', '--fields', 'usge'], 'cpu has no field "usge": there are '],
    [['data', 'cpu', '--fields', ','], '--fields must name at least one field'],
    [['settings', 'set', 'logLevel', 'FOO'], 'logLevel must be one of DEBUG, INFO, WARN, ERROR'],
    [['logs', '--lines', 'x'], '--lines must be a number'],
    [['logs', '--level', 'LOUD'], '--level must be one of'],
    [['top', '--every', '0'], '--every must be a number of seconds'],
    [['power', 'lock', '--delay', 'soon'], '--delay must be a number of seconds'],
  ])('%j', async (args, sentence) => {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
  });

  test('wrong values in the environment exit with 2 as well', async () => {
    for (const env of [{ SERVICE_PORT: 'abc' }, { SERVICE_LOG_LEVEL: 'LOUD' }]) {
      const { code, stderr } = await runHostler(['serve'], { env });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${Object.keys(env)[0]} must be`) });
    }
  });
});

test('data shows the requested fields', async () => {
  const { stdout } = await run('data', 'cpu', '--fields', 'count,per_cpu.usage', '--json');
  const payload = JSON.parse(stdout) as { count: number; per_cpu: object[] };
  expect(Object.keys(payload).sort()).toEqual(['count', 'per_cpu']);
  expect(Object.keys(payload.per_cpu[0] ?? {})).toEqual(['usage']);
});

describe('status', () => {
  test('shows where the service runs and what is missing', async () => {
    expect((await run('status')).stdout).toContain(`process ${hostler.pid}`);
    const status = JSON.parse((await run('status', '--json')).stdout) as Record<string, unknown>;
    expect(status).toMatchObject({ running: true, version: '6.0.0', address: hostler.base, port: hostler.port });
    expect(Date.parse(String(status.started))).toBeLessThanOrEqual(Date.now());
  });

  test('reports that a newer version exists, and "update" says how to install it', async () => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ version: '99.0.0', url: 'https://example.org/99.0.0' }),
    });
    await using outdated = await startHostler({
      env: { SERVICE_RELEASES_URL: `http://127.0.0.1:${server.port}/releases.json` },
    });
    const { directory } = outdated;
    // The check runs in the background: the first readings do not have its result.
    await until(async () => {
      const { stdout } = await runHostler(['status', '--json'], { directory });
      return (JSON.parse(stdout) as { newer_version: string | null }).newer_version === '99.0.0' ? true : null;
    }, 300_000);
    expect((await runHostler(['status'], { directory })).stdout).toContain('Hostler 99.0.0 is available');
    const { code, stderr } = await runHostler(['update'], { directory });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Hostler does not update itself') });
  }, 400_000);

  test('fails where no service runs', async () => {
    const { code, stdout, stderr } = await runHostler(['status', '--json']);
    expect({ code, stdout: JSON.parse(stdout), stderr }).toEqual({
      code: 1,
      stdout: { running: false, crashes: [] },
      stderr:
        'hostler: The service is not running; start it with "hostler serve", or now and at every login with "hostler service install"\n',
    });
  });
});

describe('logs', () => {
  test('prints the log of the running service, by level, and as JSON', async () => {
    await setLogLevel('WARN');
    await setLogLevel('INFO');
    const { stdout } = await run('logs');
    expect(stdout).toMatch(/INFO +settings: command line at 127\.0\.0\.1 changed logLevel\n/);
    expect((await run('logs', '--level', 'ERROR')).stdout).toBe('');
    const lines = (await run('logs', '--json', '--lines', '1')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: expect.stringMatching(/Z$/), level: 'INFO', message: expect.stringContaining('settings: ') },
    ]);
  });

  test('--follow continues with new lines', async () => {
    const { child, said } = spawnHostler(['logs', '--follow', '--lines', '0'], hostler);
    try {
      // It may not listen yet when the first line is written.
      let level = 'DEBUG';
      await until(async () => {
        await setLogLevel(level);
        level = level === 'DEBUG' ? 'INFO' : 'DEBUG';
        return said.stdout.includes('changed logLevel') ? true : null;
      });
    } finally {
      child.kill();
    }
  });
});

describe('top', () => {
  test('prints the machine once when the output is not a terminal', async () => {
    const { code, stdout } = await run('top');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^CPU .*%.*\nMemory .* of .*\nNetwork in .*\/s {3}out .*\/s\n\n +PID +USER +CPU +MEMORY +NAME\n/,
    );
    const all = JSON.parse((await run('top', '--json')).stdout) as object;
    expect(Object.keys(all).sort()).toEqual(['cpu', 'memory', 'networks', 'processes']);
  });

  test.skipIf(!needs('script'))('on a terminal it follows the keys, ends with q and restores the screen', async () => {
    const command = commandLine(false)
      .map((word) => `'${word}'`)
      .join(' ');
    const child = spawn('script', ['-qec', `${command} top --every 0.5`, '/dev/null'], {
      env: { ...serviceEnvironment(hostler.directory, {}), TERM: 'xterm' },
    });
    let seen = '';
    child.stdout.on('data', (piece) => {
      seen += piece;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => (seen.split('CPU  ').length > 2 && seen.includes('[c CPU]') ? true : null));
    child.stdin.write('m');
    await until(() => (seen.includes('[m memory]') ? true : null));
    child.stdin.write('q');
    expect(await ended).toBe(0);
    expect(seen).toContain('\u001b[?1049h');
    expect(seen.trimEnd()).toEndWith('\u001b[?25h\u001b[?1049l');
  });
});

describe('mcp', () => {
  test('answers all requests before the end of its input, including a last line without a newline', async () => {
    const clientInfo = { name: 'script', version: '1' };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const { stdout } = await runHostler(['mcp'], {
      directory: hostler.directory,
      input: [
        { id: 1, method: 'initialize', params: hello },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/list' },
      ]
        .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
        .join('\n'),
    });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: { instructions?: string; tools?: { name: string }[] } });
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
    const names = answers.flatMap(({ result }) => result.tools ?? []).map(({ name }) => name);
    const { instructions = '' } = answers.find(({ id }) => id === 1)?.result ?? {};
    for (const named of instructions.match(/\b[a-z]+_[a-z]+\b/g) ?? []) expect(names).toContain(named);
    expect(instructions).toContain('the user grants them with');
  });

  test('config --print json is usable by any program', async () => {
    const { code, stdout } = await run('mcp', 'config', '--print', 'json');
    expect({ code, config: JSON.parse(stdout) }).toMatchObject({ code: 0, config: { mcpServers: { hostler: {} } } });
    for (const args of [[], ['--print', 'yaml'], ['zed', '--print', 'json']])
      expect((await run('mcp', 'config', ...args)).code).toBe(2);
  });
});
