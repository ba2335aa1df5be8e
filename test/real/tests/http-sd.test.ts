import { describe, expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createPrivateNetwork, hasNetworks } from '../harness/network.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(300_000);

const isPossible = hasNetworks() && needs('prometheus', 'curl');

interface Target {
  health: string;
  labels: Record<string, string>;
  lastError: string;
}

describe.skipIf(!isPossible)('Prometheus service discovery', () => {
  test('finds the services on the network through one of them, and scrapes all with one shared token', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-http-sd-'));
    const network = createPrivateNetwork('sd-here');
    const other = createPrivateNetwork('sd-there');
    onTestFinished(() => {
      network.remove();
      other.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    });
    network.ip(`link add link0 type veth peer name link1 netns ${other.within[3]}`);
    network.batch(['addr add 192.0.2.1/24 dev link0', 'link set link0 up']);
    other.batch(['addr add 192.0.2.2/24 dev link1', 'link set link1 up']);

    const tokens = path.join(directory, 'etc', 'hostler', 'tokens.d');
    fs.mkdirSync(tokens, { recursive: true, mode: 0o755 });
    const made = await runHostler(['token', 'hash', '--name', 'prometheus', '--scope', 'read']);
    fs.writeFileSync(path.join(tokens, 'prometheus.json'), made.stdout, { mode: 0o644 });
    fs.writeFileSync(path.join(directory, 'token'), made.stderr.split('\n')[1]?.trim() ?? '', { mode: 0o600 });

    const env = { SERVICE_HOST: '*', HOSTLER_ETC: path.join(directory, 'etc') };
    await using one = await startHostler({ through: [...network.within], env });
    await using two = await startHostler({ through: [...other.within], env });
    fs.writeFileSync(
      path.join(directory, 'prometheus.yml'),
      `global: { scrape_interval: 2s }
scrape_configs:
  - job_name: hostler
    authorization: { credentials_file: token }
    http_sd_configs:
      - url: http://192.0.2.1:${one.port}/api/discovery/prometheus
        refresh_interval: 5s
        authorization: { type: Bearer, credentials_file: token }
    relabel_configs:
      - { source_labels: [__meta_hostler_uuid], target_label: uuid }
`,
    );
    const [program = '', ...within] = network.within;
    const server = spawn(
      program,
      [
        ...within,
        findProgram('prometheus') ?? '',
        `--config.file=${directory}/prometheus.yml`,
        `--storage.tsdb.path=${directory}/data`,
        '--web.listen-address=127.0.0.1:9090',
      ],
      { stdio: 'ignore' },
    );
    onTestFinished(() => void server.kill('SIGKILL'));
    const ask = <T>(route: string): T | null => {
      const { stdout, status } = spawnSync(program, [...within, 'curl', '-sf', `http://127.0.0.1:9090${route}`], {
        encoding: 'utf8',
      });
      return status === 0 ? JSON.parse(stdout).data : null;
    };
    const targets = await until(() => {
      if (server.exitCode !== null) throw new Error(`prometheus ended with ${server.exitCode}`);
      const found = ask<{ activeTargets: Target[] }>('/api/v1/targets')?.activeTargets ?? [];
      return found.length === 2 && found.every(({ health }) => health === 'up') ? found : null;
    }, 120_000);
    expect(targets.map(({ labels }) => labels.instance).sort()).toEqual([
      `192.0.2.1:${one.port}`,
      `192.0.2.2:${two.port}`,
    ]);
    for (const { labels } of targets) expect(labels.uuid).toMatch(/^[0-9a-f-]{36}$/);
    const found = ask<{ result: unknown[] }>('/api/v1/query?query=hostler_build_info');
    expect(found?.result).toHaveLength(2);
  });
});
