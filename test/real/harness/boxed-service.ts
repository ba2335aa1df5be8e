import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { PrivateBox } from './box.ts';
import { root, until } from './service.ts';

/** The built service inside a box, as a unit of its systemd. */
export interface BoxedService {
  /** On this machine: leads to the service only. */
  port: number;
  token: string;
  post(route: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; body: BoxedBody }>;
  /** What it wrote so far. */
  log(): string;
  /** Runs one command of the same user, in the box. */
  command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  close(): void;
}

export interface BoxedBody {
  error?: string;
  status?: string;
  message?: string;
  data?: { action: string; at: string };
}

/** `HOSTLER_BUILT` names another build than the usual one. */
export const built = process.env.HOSTLER_BUILT ?? path.join(root, 'dist', 'hostler');
export const builtInside = '/opt/hostler';

export interface BoxUser {
  name: string;
  uid: number;
}

/** For a user: as a unit of the running manager of that user, or outside of all sessions of the user. */
export async function startBoxed(
  box: PrivateBox,
  user: BoxUser | null = null,
  { outside = user === null, env = {} }: { outside?: boolean; env?: Record<string, string> } = {},
): Promise<BoxedService> {
  // A unit that was stopped keeps its name for a while.
  const unit = `hostler-${randomBytes(4).toString('hex')}`;
  const home = user === null ? '/var/lib/hostler' : `/home/${user.name}`;
  const logFile = `${home}/hostler.log`;
  const state = `${home}/state`;
  const identity = user === null ? {} : { user: { uid: user.uid, gid: user.uid } };
  const session = user === null ? {} : { XDG_RUNTIME_DIR: `/run/user/${user.uid}` };
  const variables = {
    HOME: home,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_STATE_DIR: state,
    SERVICE_CONFIG_DIR: `${home}/config`,
    SERVICE_LOG_LEVEL: 'DEBUG',
    ...env,
  };
  const inside = outside ? {} : { ...identity, env: session };
  const manager = outside ? [] : ['--user'];
  await succeed(box, ['mkdir', '-p', home], {});
  await succeed(box, ['rm', '-f', logFile]);
  await succeed(
    box,
    [
      'systemd-run',
      ...manager,
      '--quiet',
      `--unit=${unit}`,
      ...(outside && user !== null ? [`--property=User=${user.name}`] : []),
      `--property=StandardOutput=append:${logFile}`,
      `--property=StandardError=append:${logFile}`,
      ...Object.entries(variables).map(([name, value]) => `--setenv=${name}=${value}`),
      builtInside,
      'serve',
    ],
    inside,
  );
  const read = (file: string) => (fs.existsSync(box.path(file)) ? fs.readFileSync(box.path(file), 'utf8') : '');
  const starts = () => read(logFile).split('is listening on').length - 1;
  await until(() => (starts() > 0 ? true : null));
  const relay = await openRelay(box);
  const token = read(`${state}/token`).trim();
  return {
    port: relay.port,
    token,
    async post(route, body, headers = { 'X-API-Token': token }) {
      const response = await fetch(`http://127.0.0.1:${relay.port}${route}`, {
        method: 'POST',
        headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as BoxedBody };
    },
    log: () => read(logFile),
    command: (...args) => box.run([builtInside, ...args], { ...identity, env: { ...session, ...variables } }),
    async restart() {
      const before = starts();
      await succeed(box, ['systemctl', ...manager, 'restart', unit], inside);
      await until(() => (starts() > before ? true : null));
    },
    async stop() {
      await succeed(box, ['systemctl', ...manager, 'stop', unit], inside);
      relay.close();
    },
    close: relay.close,
  };
}

export async function succeed(
  box: PrivateBox,
  command: string[],
  options: Parameters<PrivateBox['run']>[1] = {},
): Promise<string> {
  const { code, stdout, stderr } = await box.run(command, options);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/**
 * From a port of this machine into the network of the box. The inner part is not a process of the box, so
 * it delivers the reply even when the box is switched off meanwhile.
 */
async function openRelay(box: PrivateBox): Promise<{ port: number; close(): void }> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-relay-'));
  const socket = path.join(directory, 'socket');
  const script = path.join(import.meta.dirname, 'relay.ts');
  const [program = '', ...args] = box.throughNetwork([process.execPath, '--no-env-file', script, socket]);
  const inner: ChildProcess = spawn(program, args, { stdio: 'ignore' });
  // The file exists a moment before connections are accepted.
  await until(async () => ((await letsIn(socket)) ? true : null));
  const server = net.createServer((client) => join(client, net.connect(socket)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close() {
      server.close();
      inner.kill('SIGKILL');
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

const letsIn = (socketPath: string) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });

/** Both directions; the end of one connection ends the other. */
export function join(one: net.Socket, other: net.Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.end());
    from.pipe(to);
  }
}
