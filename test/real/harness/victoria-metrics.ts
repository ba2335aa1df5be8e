/** A real receiver of OTLP: VictoriaMetrics, which accepts protobuf only. Debian has it from 14 on, so it comes in a separate tree, made once, as root. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from './service.ts';

const suite = 'forky';
/** Changes whenever the content of the tree changes. */
const generation = 1;
const tree = `/var/cache/hostler-tests/victoria-metrics-${suite}-${generation}`;
const program = path.join(tree, 'usr/bin/victoria-metrics');

/** Why it is not available; null: it is available. */
export function lacksVictoriaMetrics(): string | null {
  if (fs.existsSync(program)) return null;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can make a tree with VictoriaMetrics';
  if (!fs.existsSync('/usr/bin/mmdebstrap')) return 'the package mmdebstrap is not installed';
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(SITE)'], { encoding: 'utf8' });
  const site = (stdout ?? '').split('\n').find((line) => /\/debian\/?$/.test(line));
  if (site === undefined) return 'apt-get names no mirror of Debian';
  process.stdout.write(`== making a tree with VictoriaMetrics at ${tree}, once: about 500 MB, a minute\n`);
  const making = `${tree}.${process.pid}`;
  fs.mkdirSync(path.dirname(tree), { recursive: true });
  try {
    // Unpacked only: nothing in it is configured or entered. A mirror may lag behind the package index.
    const options = ['--variant=extract', '--aptopt=Acquire::Check-Valid-Until "false"', '--include=victoria-metrics'];
    const made = spawnSync('mmdebstrap', [...options, suite, making, site], { encoding: 'utf8' });
    if (made.status !== 0) return `mmdebstrap failed: ${made.stderr.trim().split('\n').at(-1)}`;
    fs.renameSync(making, tree);
    return null;
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
}

export interface VictoriaMetrics extends AsyncDisposable {
  /** The value for otlp.endpoint. */
  endpoint: string;
  /** Every sample of the series that match. */
  samples(match: string): Promise<{ metric: Record<string, string>; values: number[]; timestamps: number[] }[]>;
  names(): Promise<string[]>;
}

export async function startVictoriaMetrics(): Promise<VictoriaMetrics> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-victoria-'));
  const child = spawn(
    program,
    [`-storageDataPath=${directory}`, '-httpListenAddr=127.0.0.1:0', '-memory.allowedBytes=128MiB'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const base = await listening(child);
  return {
    endpoint: `${base}/opentelemetry`,
    async samples(match) {
      await fetch(`${base}/internal/force_flush`);
      const response = await fetch(`${base}/api/v1/export?${new URLSearchParams({ 'match[]': match })}`);
      return (await response.text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
    async names() {
      await fetch(`${base}/internal/force_flush`);
      const answer = (await (await fetch(`${base}/api/v1/label/__name__/values`)).json()) as { data: string[] };
      return answer.data;
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return await until(() => {
    if (child.exitCode !== null) throw new Error(`victoria-metrics ended: ${said}`);
    return /started server at (http:\/\/127\.0\.0\.1:\d+)\//.exec(said)?.[1] ?? null;
  });
}
