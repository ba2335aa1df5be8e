import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

const python = '/usr/bin/python3';

/** Reads OpenMetrics as Prometheus' own client for Python does; the text for Prometheus before that with another parser. */
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

  test('is OpenMetrics that a real parser takes, with a meaning for everything', async () => {
    const response = await hostler.get('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const series = parse('open', await response.text());
    expect(series.length).toBeGreaterThan(40);
    expect(series.filter(({ type, help }) => type === 'unknown' || help === '')).toEqual([]);
    expect(series.filter(({ name }) => !/^(node|hostler)_/.test(name))).toEqual([]);
  });

  test('needs a token that may read', async () => {
    expect((await hostler.get('/metrics', {})).status).toBe(401);
    const made = await runHostler(['token', 'create', '--name', 'music', '--scope', 'media'], {
      directory: hostler.directory,
    });
    const secret = made.stdout.trim();
    expect((await hostler.get('/metrics', { 'X-API-Token': secret })).status).toBe(403);
  });

  test('says what reading the modules has cost, without reading others for it', async () => {
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
      // Debian's leaves the loopback out, which may be the only interface there is.
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

    test('every name and label that both have is spelt alike, and has the same type', async () => {
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

    test('what does not move has the same value', async () => {
      const still = new Set([
        'node_memory_MemTotal_bytes',
        'node_memory_SwapTotal_bytes',
        'node_filesystem_size_bytes',
        'node_filesystem_readonly',
        'node_network_mtu_bytes',
        'node_boot_time_seconds',
      ]);
      const other = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const both = (await scrape()).filter((series) => still.has(series.name) && other.has(key(series)));
      expect(new Set(both.map(({ name }) => name))).toEqual(still);
      for (const series of both)
        expect([key(series), other.get(key(series))]).toEqual([key(series), Number(series.value)]);
    });

    test('counters lie between two looks of the other', async () => {
      const before = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const mine = (await scrape()).filter(({ name, type }) => name.startsWith('node_') && type === 'counter');
      const after = new Map((await theirs()).map((series) => [key(series), Number(series.value)]));
      const compared = mine.filter((series) => before.has(key(series)) && after.has(key(series)));
      expect(new Set(compared.map(({ name }) => name)).size).toBeGreaterThan(8);
      // Ours may be a payload of a quarter of a second ago, and the kernel lets idle times step back a little.
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

/** What this machine may have nothing of in the one or the other. */
const isElsewhere = (name: string) => /^node_(cpu_scaling_frequency|network_speed|disk_)/.test(name);
