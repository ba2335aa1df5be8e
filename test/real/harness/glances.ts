import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { findProgram } from './parts.ts';
import { until } from './service.ts';

export interface RunningGlances extends AsyncDisposable {
  base: string;
  get(route: string): Promise<Response>;
}

/** Debian's Glances as a web server with its API 3, which listens on loopback. */
export async function startGlances(): Promise<RunningGlances> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-glances-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const child = spawn(
    findProgram('glances') ?? '',
    [
      '-w',
      '--disable-webui',
      '-B',
      '127.0.0.1',
      '-p',
      String(port),
      '--disable-autodiscover',
      '--disable-check-update',
    ],
    { env: { PATH: process.env.PATH ?? '', HOME: directory, LC_ALL: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const get = (route: string) => fetch(`${base}${route}`);
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
    fs.rmSync(directory, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`glances ended: ${said}`);
      return (await get('/api/3/pluginslist').catch(() => null))?.ok === true ? true : null;
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { base, get, [Symbol.asyncDispose]: end };
}
