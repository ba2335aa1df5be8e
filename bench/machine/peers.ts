import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../../test/real/harness/parts.ts';
import { until } from '../../test/real/harness/service.ts';
import { freePort, note, type Running, startProgram, temporaryDirectory } from '../harness/harness.ts';

/** `ask` once a second; null: the program polls on its own. */
export interface Peer extends Pick<Running, 'name' | 'pid' | 'stop'> {
  ask: (() => Promise<void>) | null;
}

export async function startExporter(): Promise<(Peer & { url: string }) | null> {
  const program = findProgram('prometheus-node-exporter') ?? findProgram('node_exporter');
  if (program === null) return left('node_exporter', 'prometheus-node-exporter is not installed');
  const port = await freePort();
  const running = await startProgram(
    'node_exporter, its default collectors',
    [program, `--web.listen-address=127.0.0.1:${port}`],
    { port, env: { PATH: process.env.PATH ?? '' }, says: null },
  );
  const url = `http://127.0.0.1:${port}/metrics`;
  return {
    ...running,
    url,
    async ask() {
      await (await fetch(url)).arrayBuffer();
    },
  };
}

/** It reads everything each second and writes it to a file. */
export async function startGlances(): Promise<Peer | null> {
  const program = findProgram('/usr/bin/glances');
  if (program === null) return left('glances', 'it is not installed');
  const directory = temporaryDirectory();
  const file = path.join(directory, 'glances.csv');
  const child = spawn(
    '/usr/bin/python3',
    [program, '--quiet', '--time', '1', '--disable-check-update', '--export', 'csv', '--export-csv-file', file],
    { stdio: 'ignore', env: { PATH: process.env.PATH ?? '', HOME: directory } },
  );
  process.on('exit', () => child.kill('SIGKILL'));
  await until(() => (fs.existsSync(file) ? true : null));
  return {
    name: 'glances -t 1, writing CSV',
    pid: child.pid ?? 0,
    ask: null,
    stop: async () => void child.kill('SIGKILL'),
  };
}

function left(what: string, why: string): null {
  note(`${what} is left out: ${why}`);
  return null;
}
