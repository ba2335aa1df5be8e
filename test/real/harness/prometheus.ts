import { spawn } from 'node:child_process';
import { findProgram } from './parts.ts';
import { until } from './service.ts';

interface Found {
  metric: Record<string, string>;
  value: [number, string];
}

export interface RunningPrometheus extends AsyncDisposable {
  base: string;
  ask<T>(route: string): Promise<T>;
  query(expression: string): Promise<Found[]>;
}

/** In a query: a metric of hardware that the machine of the tests may lack. */
export const missingHardware = /\b(hostler_(?:battery|gpu|temperature|fan|power|cpu_power)\w*|node_pressure\w*)/;

/** Alertmanager on an unused port; its storage and the paths in its file are relative to the directory. */
export const startAlertmanager = (directory: string, config: string) =>
  startListening('prometheus-alertmanager', directory, [
    `--config.file=${config}`,
    '--storage.path=alertmanager',
    '--cluster.listen-address=',
  ]);

export async function startPrometheus(directory: string, config: string): Promise<RunningPrometheus> {
  const { base, ...server } = await startListening('prometheus', directory, [
    `--config.file=${config}`,
    '--storage.tsdb.path=data',
    '--log.level=info',
  ]);
  await until(async () => ((await fetch(`${base}/-/ready`)).status === 200 ? true : null));
  const ask = async <T>(route: string): Promise<T> => {
    const answer: { status: string; error?: string; data: T } = await (await fetch(`${base}${route}`)).json();
    if (answer.status !== 'success') throw new Error(`${route}: ${answer.error}`);
    return answer.data;
  };
  const query = async (expression: string) =>
    (await ask<{ result: Found[] }>(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result;
  return { ...server, base, ask, query };
}

async function startListening(
  program: string,
  directory: string,
  args: string[],
): Promise<AsyncDisposable & { base: string }> {
  const server = spawn(findProgram(program) ?? '', [...args, '--web.listen-address=127.0.0.1:0'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const base = await until(() => {
    if (server.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    const port = /msg="Listening on"[^\n]*address=127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    return port === undefined ? null : `http://127.0.0.1:${port}`;
  });
  return {
    base,
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await ended;
    },
  };
}
