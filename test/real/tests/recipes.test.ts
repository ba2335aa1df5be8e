// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type NtfyMessage, startNtfy } from '../harness/ntfy.ts';
import { needs } from '../harness/parts.ts';
import { adapted, recipeBlocks, recipeNames } from '../harness/recipes.ts';
import {
  commandLine,
  type RunningHostler,
  runHostler,
  serviceEnvironment,
  startHostler,
  until,
} from '../harness/service.ts';

setDefaultTimeout(120_000);

test('every recipe has a test', () => {
  const texts = fs
    .readdirSync(import.meta.dirname)
    .filter((file) => file.startsWith('recipes'))
    .map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('');
  expect(recipeNames().filter((name) => !texts.includes(`recipeBlocks('${name}', `))).toEqual([]);
});

interface Widget {
  type?: string;
  url: string;
  username?: string;
  password?: string;
  version?: number;
  metric?: string;
  headers?: Record<string, string>;
  mappings?: { field: string }[];
}

describe('Homepage', () => {
  /** What each of its widgets requests. */
  const plugins: Record<string, string[]> = {
    cpu: ['cpu', 'quicklook'],
    memory: ['mem'],
    process: ['processlist'],
    bar: ['cpu', 'load', 'mem', 'uptime', 'fs'],
  };
  const widgetsOf = (yaml: string, { base, token }: RunningHostler) =>
    JSON.parse(
      JSON.stringify(Bun.YAML.parse(yaml))
        .replaceAll('http://my-pc:9170', base)
        .replaceAll('{{HOMEPAGE_VAR_HOSTLER_TOKEN}}', token),
    );

  test('every widget of the recipe gets what it shows', async () => {
    await using hostler = await startHostler();
    await runHostler(['settings', 'set', 'glances.enabled', 'true'], { directory: hostler.directory });
    // The running service notices the changed file.
    await until(async () => ((await hostler.get('/api/4/status')).ok ? true : null));
    const [services = '', bar = ''] = recipeBlocks('homepage', 'yaml');
    const groups: Record<string, Record<string, { widget: Widget }>[]>[] = widgetsOf(services, hostler);
    const widgets = groups.flatMap((group) => Object.values(group).flat()).flatMap((entry) => Object.values(entry));
    const [{ glances }]: [{ glances: Widget }] = widgetsOf(bar, hostler);
    const all = [...widgets.map(({ widget }) => widget), { ...glances, type: 'glances', metric: 'bar' }];
    expect(all).toHaveLength(5);
    for (const { type, url, username, password, version, metric = '', headers, mappings } of all) {
      if (type === 'customapi') {
        const payload = await (await fetch(url, { headers: headers ?? {} })).json();
        for (const { field } of mappings ?? []) {
          const value = field
            .split('.')
            .reduce((found, key) => (Object.hasOwn(found ?? {}, key) ? found[key] : undefined), payload);
          expect([field, value === undefined]).toEqual([field, false]);
        }
        continue;
      }
      const Authorization = `Basic ${btoa(`${username}:${password}`)}`;
      for (const plugin of plugins[metric] ?? []) {
        const response = await fetch(`${url}/api/${version}/${plugin}`, { headers: { Authorization } });
        expect([plugin, response.status, (await response.text()).length > 5]).toEqual([plugin, 200, true]);
      }
    }
  });
});

describe('Homarr', () => {
  test('the address that the recipe prints answers what its integration requests', async () => {
    await using hostler = await startHostler();
    const { directory } = hostler;
    const lines = recipeBlocks('homarr', 'sh').join('').trim().split('\n');
    const outputs: string[] = [];
    for (const line of lines) {
      const { code, stdout, stderr } = await runHostler(line.split(' ').slice(1), { directory });
      expect([line, code, stderr]).toEqual([line, 0, '']);
      outputs.push(stdout);
    }
    const [url = ''] = outputs.at(-1)?.split('\n') ?? [];
    expect(url).toStartWith(`${hostler.base}/glances/`);
    await until(async () => ((await fetch(`${url}/api/4/status`)).ok ? true : null));
    for (const plugin of ['status', 'version', 'all', 'sensors'])
      expect((await fetch(`${url}/api/4/${plugin}`)).status).toBe(200);
    const { cpu, mem, network, fs: filesystems, uptime } = await (await fetch(`${url}/api/4/all`)).json();
    expect([typeof cpu.total, typeof mem.total, typeof mem.used, typeof mem.free]).toEqual(Array(4).fill('number'));
    for (const { bytes_recv_rate_per_sec, bytes_sent_rate_per_sec } of network)
      expect(Math.min(bytes_recv_rate_per_sec, bytes_sent_rate_per_sec)).toBeGreaterThanOrEqual(0);
    for (const { device_name, percent } of filesystems)
      expect([typeof device_name, typeof percent]).toEqual(['string', 'number']);
    expect(uptime).toMatch(/^(?:\d+ days?, )?\d+:\d+:\d+$/);
  });
});

describe.skipIf(!needs('curl', 'python3', 'sh'))('shell', () => {
  test('every one-liner prints a value, and no proxy sees the token', async () => {
    await using hostler = await startHostler();
    const [settings = '', ...commands] = recipeBlocks('shell', 'sh');
    const home = path.join(hostler.directory, 'shell');
    fs.mkdirSync(home);
    const header = adapted(settings, { '$(hostler token)': hostler.token });
    expect(commands.length).toBeGreaterThan(4);
    for (const command of commands) {
      const env = { PATH: process.env.PATH ?? '', HOME: home, http_proxy: 'http://127.0.0.1:9' };
      const script = adapted(header, { 'http://127.0.0.1:9170': hostler.base });
      const { status, stdout, stderr } = spawnSync('sh', ['-c', `${script}\n${command}`], { env, encoding: 'utf8' });
      expect({ command, status, stderr, isEmpty: stdout.trim() === '' }).toEqual({
        command,
        status: 0,
        stderr: '',
        isEmpty: false,
      });
    }
  });
});

describe.skipIf(!needs('curl', 'sh'))('ntfy', () => {
  test('the test and the alert of its rule arrive at the topic', async () => {
    const [url = ''] = recipeBlocks('ntfy', 'text');
    const [, token = ''] = /^ntfys:\/\/(\w+)@/.exec(url) ?? [];
    using ntfy = startNtfy(token);
    const at = `127.0.0.1:${ntfy.port}`;
    await using hostler = await startHostler({
      prepare: (directory) => {
        fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
        const settings = { history: { interval: 5 } };
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
      },
    });
    const [add = '', rules = '', read = ''] = recipeBlocks('ntfy', 'sh');
    // The command of the recipe, entered in a shell in which "hostler" is the program of this tree.
    const [program, ...args] = commandLine(false);
    const env = { ...serviceEnvironment(hostler.directory, {}), NTFY_TOKEN: token };
    const enter = async (commands: string, input = '') => {
      const script = `set -e; hostler() { ${[program, ...args].map((word) => `'${word}'`).join(' ')} "$@"; }\n${commands}`;
      const shell = Bun.spawn(['sh', '-c', script], { env, stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe' });
      const [stdout, stderr] = await Promise.all([
        new Response(shell.stdout).text(),
        new Response(shell.stderr).text(),
      ]);
      const status = await shell.exited;
      expect({ commands, status, stderr: status === 0 ? '' : stderr }).toEqual({ commands, status: 0, stderr: '' });
      return stdout;
    };
    await enter(add, adapted(url, { 'ntfys:': 'ntfy:', 'ntfy.example': at }));
    await enter(adapted(rules, { '"above": 95, "for": 120': '"above": 0.001' }));
    await until(() => ntfy.messages[1] ?? null);
    const output = await enter(adapted(read, { 'https://ntfy.example': `http://${at}` }));
    const messages = output
      .trim()
      .split('\n')
      .map((line): NtfyMessage => JSON.parse(line));
    const byTag = Object.fromEntries(messages.map((message) => [message.tags?.[0], message]));
    expect(Object.keys(byTag).sort()).toEqual(['information_source', 'warning']);
    expect(byTag.warning).toMatchObject({
      topic: 'my-pc',
      priority: 4,
      title: expect.stringContaining('Memory is full'),
    });
  });
});
