import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { dashboardMetrics } from '../harness/dashboard-metrics.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { missingHardware, type RunningPrometheus, startPrometheus } from '../harness/prometheus.ts';
import { type RunningHostler, root, startHostler, until } from '../harness/service.ts';

const deployed = path.join(root, 'deploy');
const promtool = (args: string[], input = '') =>
  spawnSync(findProgram('promtool') ?? '', args, { input, encoding: 'utf8', cwd: path.join(deployed, 'prometheus') });

describe.skipIf(!needs('prometheus', 'promtool'))('with Prometheus', () => {
  let hostler: RunningHostler;
  let directory: string;
  let server: RunningPrometheus;

  beforeAll(async () => {
    hostler = await startHostler();
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-prometheus-'));
    for (const file of ['rules.yml', 'scrape.yml'])
      fs.copyFileSync(path.join(deployed, 'prometheus', file), path.join(directory, file));
    // The shipped job, with a shorter interval, so that rates exist soon.
    const config = fs.readFileSync(path.join(directory, 'scrape.yml'), 'utf8');
    fs.writeFileSync(
      path.join(directory, 'scrape.yml'),
      config
        .replace('scrape_interval: 15s', 'scrape_interval: 2s')
        .replace('evaluation_interval: 15s', 'evaluation_interval: 2s'),
    );
    fs.writeFileSync(path.join(directory, 'hostler.token'), `${hostler.token}\n`, { mode: 0o600 });
    const labels = { __scheme__: 'http', __meta_hostler_name: 'the machine' };
    fs.writeFileSync(
      path.join(directory, 'targets.json'),
      JSON.stringify([{ targets: [`127.0.0.1:${hostler.port}`], labels }]),
    );
    server = await startPrometheus(directory, 'scrape.yml');
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await hostler?.stop();
    if (directory !== undefined) fs.rmSync(directory, { recursive: true, force: true });
  });

  const ask = <T>(route: string) => server.ask<T>(route);
  const query = (expression: string) => server.query(expression);
  /** Two scrapes are needed for a rate, and more for one over a while. */
  const scraped = () =>
    until(async () => ((await query('count_over_time(up{job="hostler"}[5m]) > 3')).length > 0 ? true : null));

  test('the shipped job scrapes the service, and names the machine', async () => {
    await scraped();
    const [up] = await query('up{job="hostler"}');
    expect(up?.value[1]).toBe('1');
    expect(up?.metric.machine).toBe('the machine');
    const { activeTargets } = await ask<{ activeTargets: { lastError: string }[] }>('/api/v1/targets');
    expect(activeTargets.map(({ lastError }) => lastError)).toEqual(['']);
  });

  test('all series that "Node Exporter Full" and the public rules use are in its database', async () => {
    await scraped();
    const own = (await (await hostler.get('/metrics', { 'X-API-Token': hostler.token, Accept: 'text/plain' })).text())
      .split('\n')
      .flatMap((line) => /^([a-z]\w*)[ {]/i.exec(line)?.[1] ?? [])
      .filter((name) => dashboardMetrics.has(name));
    const names = new Set(await ask<string[]>('/api/v1/label/__name__/values'));
    expect(new Set(own).size).toBeGreaterThan(100);
    expect([...new Set(own)].filter((name) => !names.has(name))).toEqual([]);
    // The source of its drop-downs.
    const [kernel] = await query('node_uname_info{job="hostler"}');
    expect(kernel?.metric.nodename).not.toBe('');
  });

  test('every query of the Grafana dashboard returns data, except for missing hardware', async () => {
    await scraped();
    const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
      fs.readFileSync(path.join(deployed, 'grafana', 'hostler.json'), 'utf8'),
    );
    const asked = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(asked.length).toBeGreaterThan(25);
    const names = new Set(await ask<string[]>('/api/v1/label/__name__/values'));
    const empty: string[] = [];
    for (const { title, expr } of asked) {
      const lacking = missingHardware.exec(expr)?.[1];
      if (lacking !== undefined && !names.has(lacking)) continue;
      const filled = expr
        .replaceAll('$job', 'hostler')
        .replaceAll('$instance', '.*')
        .replaceAll('$__rate_interval', '1m');
      if ((await query(filled)).length === 0) empty.push(`${title}: ${filled}`);
    }
    expect(empty).toEqual([]);
  });

  test('the rules are evaluated, and none of them fails', async () => {
    await scraped();
    interface Rule {
      name: string;
      health: string;
    }
    const rules = await until(async () => {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('/api/v1/rules');
      const all = groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : null;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});

describe.skipIf(!needs('promtool'))('promtool', () => {
  test('accepts the text, with the same warnings as for node_exporter', async () => {
    await using hostler = await startHostler();
    const text = await (
      await hostler.get('/metrics', { 'X-API-Token': hostler.token, Accept: 'text/plain;version=0.0.4' })
    ).text();
    const { status, stdout, stderr } = promtool(['check', 'metrics'], text);
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    // 3: it parsed everything, with a warning about a name. The names of the kernel are given.
    const names = /^node_(memory|netstat|entropy)_\w+ (metric names should be written|use base unit "bytes")/;
    expect(said.filter((line) => !names.test(line))).toEqual([]);
    expect([0, 3]).toContain(status ?? -1);
  });

  test('accepts the shipped rules, which pass their tests', () => {
    expect(promtool(['check', 'rules', 'rules.yml'])).toMatchObject({ status: 0 });
    const tested = promtool(['test', 'rules', 'rules.test.yml']);
    expect(`${tested.stdout}${tested.stderr}`).toContain('SUCCESS');
    expect(tested.status).toBe(0);
  });

  test('every shipped rule has a test', () => {
    const read = (file: string) => fs.readFileSync(path.join(deployed, 'prometheus', file), 'utf8');
    const alerts = [...read('rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const tests = [...read('rules.test.yml').matchAll(/- name: (\w+)/g)].map(([, name]) => name);
    expect(tests).toEqual(alerts);
  });

  test('accepts the shipped job', () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-prometheus-'));
    try {
      fs.cpSync(path.join(deployed, 'prometheus'), directory, { recursive: true });
      fs.writeFileSync(path.join(directory, 'hostler.token'), 'secret');
      fs.writeFileSync(path.join(directory, 'targets.json'), '[]');
      expect(promtool(['check', 'config', path.join(directory, 'scrape.yml')])).toMatchObject({ status: 0 });
    } finally {
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });
});
