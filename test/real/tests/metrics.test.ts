import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { dashboardMetrics } from '../harness/dashboard-metrics.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

const python = '/usr/bin/python3';

/** Parses OpenMetrics with the Python client of Prometheus; the older text format with another parser. */
const program = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain
parse = open_metrics if sys.argv[1] == 'open' else plain
print(json.dumps([{'type': family.type, 'help': family.documentation, 'name': sample.name, 'labels': sample.labels, 'value': str(sample.value)}
  for family in parse(sys.stdin.read()) for sample in family.samples]))
`;

interface Series {
  name: string;
  type: string;
  help: string;
  labels: Record<string, string>;
  value: string;
}

function parse(kind: 'open' | 'plain', text: string): Series[] {
  const { status, stdout, stderr } = spawnSync(python, ['-c', program, kind], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function hasParser(): boolean {
  const parser = '/usr/lib/python3/dist-packages/prometheus_client';
  if (needs(python) && fs.existsSync(parser)) return true;
  if (process.env.CI === 'true') throw new Error(`${parser} is missing: with CI=true every real part has to be there.`);
  console.warn('skipped: python3-prometheus-client is not installed');
  return false;
}

describe.skipIf(!hasParser())('/metrics', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(async () => void (await hostler.stop()));

  const scrape = async () => parse('open', await (await hostler.get('/metrics')).text());

  test('is OpenMetrics that a real parser accepts, with help and type for every series', async () => {
    const response = await hostler.get('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const series = parse('open', await response.text());
    expect(series.length).toBeGreaterThan(40);
    // The kernel does not specify whether these are counters, and neither does node_exporter.
    const isUntyped = (name: string) => /^node_(netstat|vmstat)_/.test(name);
    expect(series.filter(({ name, type, help }) => (type === 'unknown') !== isUntyped(name) || help === '')).toEqual(
      [],
    );
    expect(series.filter(({ name }) => !/^(node|hostler|process|apt|smartctl|container)_/.test(name))).toEqual([]);
  });

  test('is the older text format on request, with the same series', async () => {
    const response = await hostler.get('/metrics', { 'X-API-Token': hostler.token, Accept: 'text/plain' });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const names = (series: Series[]) => [...new Set(series.map(({ name }) => name))].sort();
    const plain = async () =>
      await (await hostler.get('/metrics', { 'X-API-Token': hostler.token, Accept: 'text/plain' })).text();
    // Some are known a while after the first request, such as those of waiting updates.
    const seen = { plain: names(parse('plain', await response.text())), open: names(await scrape()) };
    await until(async () => {
      if (isDeepStrictEqual(seen.plain, seen.open)) return true;
      seen.plain = names(parse('plain', await plain()));
      seen.open = names(await scrape());
      return null;
    }).catch(() => {});
    expect(seen.plain).toEqual(seen.open);
  });

  test('is compressed for clients that accept that', async () => {
    const headers = { 'X-API-Token': hostler.token, 'Accept-Encoding': 'gzip' };
    const response = await fetch(`${hostler.base}/metrics`, { headers, decompress: false });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const body = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(gunzipSync(body));
    expect(body.length).toBeLessThan(text.length / 3);
    expect(parse('open', text).length).toBeGreaterThan(40);
    const plain = await fetch(`${hostler.base}/metrics`, { headers: { ...headers, 'Accept-Encoding': 'gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  test('accepts the token as a password as well, for numbers only', async () => {
    const basic = (password: string) => ({ Authorization: `Basic ${btoa(`prometheus:${password}`)}` });
    expect((await hostler.get('/metrics', basic(hostler.token))).status).toBe(200);
    expect((await hostler.get('/metrics', basic(`${hostler.token}x`))).status).toBe(401);
    expect((await hostler.get('/metrics', { Authorization: 'Basic !' })).status).toBe(401);
    // A browser would send it along with every request, also with one that another page makes.
    expect((await hostler.get('/api/data/memory', basic(hostler.token))).status).toBe(401);
    const order = { method: 'POST', headers: basic(hostler.token) };
    expect((await fetch(`${hostler.base}/api/power/lock`, order)).status).toBe(401);
  });

  test('lists services on the network only for tokens with the read scope', async () => {
    const route = '/api/discovery/prometheus';
    expect((await hostler.get(route, {})).status).toBe(401);
    const found = await hostler.get(route);
    // Without a network there is nothing to be found, and where the port is taken the answer says so.
    expect([200, 502]).toContain(found.status);
    if (found.status === 200) expect(await found.json()).toBeArray();
  });

  test('needs a token that may read', async () => {
    expect((await hostler.get('/metrics', {})).status).toBe(401);
    const secret = await createToken(hostler, 'music', 'media');
    expect((await hostler.get('/metrics', { 'X-API-Token': secret })).status).toBe(403);
  });

  test('reports the cost of reading the modules, without reading others for it', async () => {
    await scrape();
    const reads = (await scrape()).filter(({ name }) => name === 'hostler_module_reads_total');
    const of = (module: string) => Number(reads.find(({ labels }) => labels.module === module)?.value);
    expect(of('cpu')).toBeGreaterThanOrEqual(1);
    expect(of('media')).toBe(0);
  });

  test('can be switched off', async () => {
    await runHostler(['settings', 'set', 'metrics.enabled', 'false'], { directory: hostler.directory });
    try {
      const refused = await until(async () => {
        const response = await hostler.get('/metrics');
        return response.status === 404 ? response : null;
      });
      expect(await refused.json()).toEqual({ error: expect.stringContaining('metrics.enabled') });
    } finally {
      await runHostler(['settings', 'set', 'metrics.enabled', 'true'], { directory: hostler.directory });
      await until(async () => ((await hostler.get('/metrics')).status === 200 ? true : null));
    }
  });

  describe.skipIf(!needs('prometheus-node-exporter'))('beside node_exporter', () => {
    let exporter: ChildProcess;
    let address = '';
    beforeAll(async () => {
      // The one of Debian omits the loopback, which may be the only interface.
      const args = ['--web.listen-address=127.0.0.1:0', '--collector.netdev.device-exclude=^$'];
      exporter = spawn(findProgram('prometheus-node-exporter') ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      exporter.stderr?.on('data', (chunk) => {
        said += chunk;
      });
      address = await until(() => /address=(127\.0\.0\.1:\d+)/.exec(said)?.[1] ?? null);
    });
    afterAll(() => void exporter?.kill('SIGKILL'));

    const theirs = async () => parse('plain', await (await fetch(`http://${address}/metrics`)).text());
    const key = ({ name, labels }: Series) => `${name} ${JSON.stringify(Object.entries(labels).sort())}`;

    test('every name and label that both have is identical, and has the same type', async () => {
      const known = new Map((await theirs()).map((series) => [series.name, series]));
      const mine = (await scrape()).filter(({ name }) => name.startsWith('node_'));
      expect(mine.filter(({ name }) => !known.has(name) && !isElsewhere(name)).map(({ name }) => name)).toEqual([]);
      for (const series of mine) {
        const other = known.get(series.name);
        if (other === undefined) continue;
        expect([series.name, series.type, Object.keys(series.labels).sort()]).toEqual([
          other.name,
          other.type,
          Object.keys(other.labels).sort(),
        ]);
      }
    });

    test('all series of node_exporter that public dashboards and rules use are present, with the same labels', async () => {
      const mine = new Set((await scrape()).map(key));
      const names = new Set([...mine].map((each) => each.split(' ')[0] ?? ''));
      const wanted = (await theirs()).filter(({ name }) => dashboardMetrics.has(name));
      expect(new Set(wanted.map(({ name }) => name)).size).toBeGreaterThan(100);
      expect(wanted.filter(({ name }) => !names.has(name)).map(({ name }) => name)).toEqual([]);
      // Its collectors are not our modules; transient series may be gone, and the exporter is another process.
      const isFixed = ({ name }: Series) => !/^node_(scrape_collector|arp_entries|filesystem|network)/.test(name);
      const others = wanted.filter((series) => isFixed(series) && !mine.has(key(series)));
      expect(others.map(key)).toEqual([]);
    });

    test('nothing else of node_exporter is missing, except for the list here', async () => {
      const mine = new Set((await scrape()).map(({ name }) => name));
      const missing = new Set((await theirs()).map(({ name }) => name).filter((name) => !mine.has(name)));
      // Its own metrics and those of its runtime, and the name of the time zone, for which the runtime would load 4 MB.
      const expected = /^(go_|promhttp_|node_exporter_build_info|node_time_zone_offset_seconds)/;
      // What this service leaves to node_exporter: hardware that no dashboard above uses.
      const rare =
        /^node_(edac|rapl|nvme|dmi|zfs|xfs|btrfs|nfs|nfsd|infiniband|fibrechannel|ipvs|tapestats|bcache|xfrm|softnet_|cpu_info|cpu_core_throttles|cpu_package_throttles|cpu_frequency_hertz|cpu_online|cpu_isolated|cpu_scaling_governor|hwmon|power_supply|watchdog|selinux|network_|disk_ata|disk_filesystem|disk_device_mapper|nf_conntrack_stat|filesystem_|systemd|memory_numa|time_)/;
      expect([...missing].filter((name) => !expected.test(name) && !rare.test(name))).toEqual([]);
    });

    test('constant values are the same', async () => {
      const given = new Set((await theirs()).map(({ name }) => name));
      const still = new Set(
        [
          'node_memory_MemTotal_bytes',
          'node_memory_SwapTotal_bytes',
          'node_filesystem_size_bytes',
          'node_filesystem_readonly',
          'node_network_mtu_bytes',
          'node_boot_time_seconds',
          'node_filesystem_files',
          'node_network_up',
          'node_network_transmit_queue_length',
          'node_filefd_maximum',
          'node_entropy_pool_size_bits',
          'node_timex_tick_seconds',
          'node_timex_loop_time_constant',
          'node_uname_info',
          'node_os_info',
          'node_memory_Hugepagesize_bytes',
          'node_memory_VmallocTotal_bytes',
        ].filter((name) => given.has(name)),
      );
      const other = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const both = (await scrape()).filter((series) => still.has(series.name) && other.has(key(series)));
      expect(new Set(both.map(({ name }) => name))).toEqual(still);
      for (const series of both)
        expect([key(series), other.get(key(series))]).toEqual([key(series), Number(series.value)]);
    });

    test('counters lie between two scrapes of node_exporter', async () => {
      const before = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const mine = (await scrape()).filter(({ name, type }) => name.startsWith('node_') && type === 'counter');
      const after = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const compared = mine.filter((series) => before.has(key(series)) && after.has(key(series)));
      expect(new Set(compared.map(({ name }) => name)).size).toBeGreaterThan(8);
      // Ours may be a quarter of a second old, and the kernel lets idle times decrease a little.
      const slack = (value: number) => 2 + value * 0.001;
      for (const series of compared) {
        const value = Number(series.value);
        const [least = 0, most = 0] = [before.get(key(series)), after.get(key(series))];
        expect([key(series), value >= least - slack(least) && value <= most + slack(most)]).toEqual([
          key(series),
          true,
        ]);
      }
    });
  });
});

/** Hardware that this machine may lack. */
const isElsewhere = (name: string) =>
  /^node_(reboot_required|processes_threads|cpu_scaling_frequency|cpu_frequency|network_speed|disk_|hwmon_|thermal_zone|cooling_device|power_supply|pressure_irq|md_|bonding_|schedstat_)/.test(
    name,
  ) ||
  // Only in newer versions than that of Debian 12.
  /^node_(netstat_TcpExt_TCP(OFOQueue|RcvQDrop)|softnet_(cpu_collision|received_rps|flow_limit_count)_total|softnet_backlog_len)$/.test(
    name,
  );
