import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from './parts.ts';
import { until } from './service.ts';
import { selfSigned } from './tls.ts';

/** A private nginx with these servers, which ends with the test. `{certificate}` and `{key}` in them name files of its own. */
export async function startNginx(servers: string, port: number): Promise<AsyncDisposable> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-nginx-'));
  const { certificate, key } = selfSigned(directory, 'proxy');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`);
  fs.writeFileSync(
    path.join(directory, 'nginx.conf'),
    `daemon off; master_process off; pid nginx.pid; error_log stderr;
events {}
http {
access_log off; ${temporary.join(' ')}
${servers.replaceAll('{certificate}', certificate).replaceAll('{key}', key)}
}
`,
  );
  return await startListening(findProgram('nginx') ?? '', ['-p', directory, '-c', 'nginx.conf', '-e', 'stderr'], {
    directory,
    port,
  });
}

/** A private Caddy with these sites over plain HTTP. */
export async function startCaddy(sites: string, port: number): Promise<AsyncDisposable> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-caddy-'));
  fs.writeFileSync(path.join(directory, 'Caddyfile'), `{\n  admin off\n  auto_https off\n}\n${sites}`);
  const args = ['run', '--config', path.join(directory, 'Caddyfile'), '--adapter', 'caddyfile'];
  return await startListening(findProgram('caddy') ?? '', args, { directory, port });
}

/** Resolves when it takes connections. Its directory is removed with it. */
async function startListening(
  program: string,
  args: string[],
  { directory, port }: { directory: string; port: number },
): Promise<AsyncDisposable> {
  const child = spawn(program, args, { env: { HOME: directory }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    fs.rmSync(directory, { recursive: true, force: true });
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${path.basename(program)} ended: ${said}`);
    return await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
      (socket) => socket.end() >= 0,
      () => null,
    );
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { [Symbol.asyncDispose]: stop };
}
