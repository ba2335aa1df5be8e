// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram, needs } from '../harness/parts.ts';
import { missingHardware, startAlertmanager, startPrometheus } from '../harness/prometheus.ts';
import { adapted, recipeBlocks } from '../harness/recipes.ts';
import { createToken, type RunningHostler, root, startHostler, until } from '../harness/service.ts';
import { startWebhookReceiver } from '../harness/webhook-receivers.ts';

setDefaultTimeout(180_000);

/** A folder with the token and the shipped rules, whose shortest wait is over at once. */
async function prometheusFolder(hostler: RunningHostler): Promise<string> {
  const folder = path.join(hostler.directory, 'prometheus');
  fs.mkdirSync(folder);
  const token = await createToken(hostler, 'prometheus', 'read');
  fs.writeFileSync(path.join(folder, 'hostler.token'), token, { mode: 0o600 });
  const rules = fs.readFileSync(path.join(root, 'deploy', 'prometheus', 'rules.yml'), 'utf8');
  fs.writeFileSync(path.join(folder, 'rules.yml'), adapted(rules, { 'for: 5m': 'for: 0s' }));
  return folder;
}

describe.skipIf(!needs('prometheus', 'promtool', 'prometheus-alertmanager', 'amtool'))('Prometheus', () => {
  test('a machine that stops answering arrives at the receiver of Alertmanager', async () => {
    await using receiver = startWebhookReceiver(() => new Response(null));
    await using hostler = await startHostler();
    const folder = await prometheusFolder(hostler);
    const write = (name: string, block: string, changes: Record<string, string>) =>
      fs.writeFileSync(path.join(folder, name), adapted(block, changes));
    const [scraping = '', routing = '', ...rest] = recipeBlocks('prometheus', 'yaml');
    expect(rest).toEqual([]);
    const at = `127.0.0.1:${receiver.port}`;
    write('alertmanager.yml', routing, { '127.0.0.1:8080': at, 'group_wait: 30s': 'group_wait: 0s' });
    await using alertmanager = await startAlertmanager(folder, 'alertmanager.yml');
    const alerting = new URL(alertmanager.base).host;
    const machine = `127.0.0.1:${hostler.port}`;
    write('prometheus.yml', scraping, { 'my-pc:9170': machine, '127.0.0.1:9093': alerting, ': 15s': ': 1s' });
    for (const line of recipeBlocks('prometheus', 'sh').join('').trim().split('\n')) {
      const [program = '', ...args] = line.split(' ');
      const { status, stdout, stderr } = spawnSync(findProgram(program) ?? '', args, { cwd: folder, encoding: 'utf8' });
      expect({ line, status, output: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({
        line,
        status: 0,
        output: '',
      });
    }
    await using prometheus = await startPrometheus(folder, 'prometheus.yml');
    await until(async () => ((await prometheus.query('up{job="hostler"} == 1')).length > 0 ? true : null));
    expect((await prometheus.query('hostler_build_info{job="hostler"}')).length).toBe(1);
    process.kill(hostler.pid, 'SIGSTOP');
    const alerts = await until(() => {
      const all = receiver.received.flatMap(({ body }): SentAlert[] => JSON.parse(body).alerts);
      const down = all.filter(({ labels }) => labels.alertname === 'HostlerDown');
      return down.length > 0 ? down : null;
    }, 120_000);
    expect(alerts[0]).toMatchObject({
      status: 'firing',
      labels: { instance: machine, job: 'hostler' },
      annotations: { summary: 'Hostler does not answer' },
    });
    expect(receiver.received.every((message) => message.path === '/alerts')).toBe(true);
  });
});

describe.skipIf(!needs('collectd') || !hasLibraries('/usr/lib/collectd/curl_json.so'))('collectd', () => {
  test('its plugin curl_json stores the values of the API', async () => {
    await using hostler = await startHostler();
    const token = await createToken(hostler, 'collectd', 'read');
    const [plugin = ''] = recipeBlocks('collectd', 'apache');
    const changes = { 'my-pc:9170': `127.0.0.1:${hostler.port}`, TOKEN: token };
    const { directory } = hostler;
    fs.writeFileSync(path.join(directory, 'hostler.conf'), adapted(plugin, changes), { mode: 0o600 });
    // What Debian's collectd.conf has around it.
    const whole = [
      `BaseDir "${directory}"`,
      `PIDFile "${directory}/collectd.pid"`,
      'Interval 1',
      'LoadPlugin csv',
      `<Plugin csv>\n  DataDir "${directory}/csv"\n</Plugin>`,
      `Include "${directory}/hostler.conf"`,
    ].join('\n');
    fs.writeFileSync(path.join(directory, 'collectd.conf'), `${whole}\n`);
    const daemon = spawn(findProgram('collectd') ?? '', ['-f', '-C', path.join(directory, 'collectd.conf')]);
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    let said = '';
    for (const stream of [daemon.stdout, daemon.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    try {
      const stored = await until(() => {
        if (daemon.exitCode !== null) throw new Error(`collectd ended: ${said}`);
        const found = storedValues(path.join(directory, 'csv', 'my-pc', 'curl_json-hostler'));
        return Object.keys(found).length === plugin.split('<Key').length - 1 ? found : null;
      }).catch((error) => {
        throw new Error(`${error}: ${said}`);
      });
      const read = async (name: string) => (await hostler.get(`/api/data/${name}`)).json();
      const [memory, system] = [await read('memory'), await read('system')];
      expect(Object.keys(stored).sort()).toEqual(['percent-cpu', 'percent-memory', 'uptime-uptime']);
      expect(Math.abs((stored['percent-memory'] ?? 0) - memory.virtual.percent)).toBeLessThan(20);
      expect(Math.abs((stored['uptime-uptime'] ?? 0) - system.uptime)).toBeLessThan(120);
    } finally {
      daemon.kill('SIGKILL');
      await ended;
    }
  });
});

describe.skipIf(!needs('prometheus'))('Grafana', () => {
  test('its drop-downs, the panels of the dashboard and those of the recipe get data from Prometheus', async () => {
    await using hostler = await startHostler();
    const folder = await prometheusFolder(hostler);
    const [scraping = ''] = recipeBlocks('prometheus', 'yaml');
    const changes = { 'my-pc:9170': `127.0.0.1:${hostler.port}`, ': 15s': ': 1s' };
    fs.writeFileSync(path.join(folder, 'prometheus.yml'), adapted(scraping, changes));
    await using prometheus = await startPrometheus(folder, 'prometheus.yml');
    await until(async () => ((await prometheus.query('count_over_time(up[5m]) > 4')).length > 0 ? true : null));
    const { templating, panels }: Dashboard = JSON.parse(
      fs.readFileSync(path.join(root, 'deploy', 'grafana', 'hostler.json'), 'utf8'),
    );
    const variables: Record<string, string> = { __rate_interval: '1m' };
    const filled = (text: string) => text.replace(/\$(\w+)/g, (whole, name) => variables[name] ?? whole);
    for (const { name, type, query } of templating.list) {
      if (type !== 'query' || typeof query === 'string') continue;
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(filled(query.query)) ?? [];
      const series = await prometheus.ask<Record<string, string>[]>(
        `/api/v1/series?${new URLSearchParams({ 'match[]': selector })}`,
      );
      variables[name] = series[0]?.[label] ?? '';
    }
    expect(variables).toMatchObject({ job: 'hostler', instance: `127.0.0.1:${hostler.port}` });
    const names = new Set(await prometheus.ask<string[]>('/api/v1/label/__name__/values'));
    const ranges = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...recipeBlocks('grafana', 'promql'),
    ].map((expr) => filled(expr.trim()));
    expect(ranges.length).toBeGreaterThan(28);
    /** The request with which Grafana draws a graph. Some series begin a few scrapes after the others. */
    const hasData = (query: string) =>
      until(async () => {
        const end = Date.now() / 1000;
        const range = new URLSearchParams({ query, start: String(end - 60), end: String(end), step: '5' });
        const { result } = await prometheus.ask<{ result: unknown[] }>(`/api/v1/query_range?${range}`);
        return result.length > 0 ? true : null;
      }, 20_000).catch(() => false);
    const empty: string[] = [];
    for (const query of ranges) {
      const lacking = missingHardware.exec(query)?.[1];
      if (lacking !== undefined && !names.has(lacking)) continue;
      if (!(await hasData(query))) empty.push(query);
    }
    expect(empty).toEqual([]);
  });
});

interface Dashboard {
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
  panels: { targets?: { expr: string }[] }[];
}

/** The last value in each file of the plugin csv, by its type and instance. */
function storedValues(folder: string): Record<string, number> {
  if (!fs.existsSync(folder)) return {};
  const last = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8').trim().split('\n').at(-1);
  return Object.fromEntries(
    fs
      .readdirSync(folder)
      .map((file) => [file.replace(/-\d{4}-\d\d-\d\d$/, ''), Number(last(file)?.split(',')[1])] as const)
      .filter(([, value]) => Number.isFinite(value)),
  );
}

/** Debian suggests the libraries of collectd's plugins only. */
function hasLibraries(plugin: string): boolean {
  const { stdout } = spawnSync('ldd', [plugin], { encoding: 'utf8' });
  const missing = (stdout ?? '').split('\n').filter((line) => line.includes('not found'));
  if (missing.length === 0) return true;
  if (process.env.CI === 'true') throw new Error(`${plugin} lacks ${missing.join()}`);
  console.warn(`skipped: ${plugin} lacks ${missing.join()}`);
  return false;
}

interface SentAlert {
  labels: Record<string, string>;
}
