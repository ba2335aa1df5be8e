import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from './parts.ts';

export const root = path.resolve(import.meta.dirname, '..', '..', '..');

/** A test starts one with `await using`: then it ends with the test, however the test ends. */
export interface RunningHostler extends AsyncDisposable {
  port: number;
  /** With TLS; null: not enabled. */
  tlsPort: number | null;
  base: string;
  token: string;
  pid: number;
  /** Holds config/, state/ and home/ of this one service. */
  directory: string;
  /** What it wrote so far. */
  output(): string;
  get(route: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends raw bytes; resolves with the reply when the peer closes, or after `forMs`. */
  raw(bytes: string | Uint8Array, forMs?: number): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  env?: Record<string, string>;
  args?: string[];
  /** dist/hostler instead of the source. */
  compiled?: boolean;
  /** A program that starts it by exec. */
  through?: string[];
  /** A script that the runtime loads first; from source only. */
  preload?: string;
  /** Its directory, such as that of an earlier run; a new one unless given. */
  directory?: string;
  /** Called with the directories before the start. */
  prepare?(directory: string): void;
}

/** A private service: its own home, settings, state, and a port that is unused. */
export async function startHostler({
  env = {},
  args = [],
  compiled = false,
  through = [],
  preload,
  directory: given,
  prepare,
}: StartOptions = {}): Promise<RunningHostler> {
  const directory = given ?? fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
  fs.mkdirSync(path.join(directory, 'home'), { recursive: true });
  prepare?.(directory);
  const environment = serviceEnvironment(directory, env);
  const [program = '', ...before] = [...endsWithUs(), ...through, ...commandLine(compiled, preload)];
  const child = spawn(program, [...before, 'serve', '--port', '0', ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const collected = collectOutput(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let isStarted = false;
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const code = await exited;
    // A service that did not start keeps the directory it was given: the test may inspect it.
    if (isStarted || given === undefined) fs.rmSync(directory, { recursive: true, force: true });
    return code;
  };
  const port = await until(() => {
    const match =
      /listening on https?:\/\/\S+:(\d+)[^\n]*\n(?:[^\n]*and with TLS [^\n]*\n)?[^\n]*The token is in .*\n/.exec(
        collected(),
      );
    if (match !== null) return Number(match[1]);
    if (child.exitCode !== null) throw new Error(`hostler ended with ${child.exitCode}: ${collected()}`);
    return null;
  }).catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  const tlsPort = /\bon https:\/\/\S+?:(\d+)\b/.exec(collected())?.[1];
  const base = `http://127.0.0.1:${port}`;
  isStarted = true;
  const token = fs.readFileSync(path.join(directory, 'state', 'token'), 'utf8').trim();
  return {
    port,
    tlsPort: tlsPort === undefined ? null : Number(tlsPort),
    base,
    token,
    pid: child.pid ?? 0,
    directory,
    output: collected,
    get: (route, headers = { 'X-API-Token': token }) => fetch(`${base}${route}`, { headers, redirect: 'manual' }),
    raw: (bytes, forMs) => exchange(port, bytes, forMs),
    stop: (signal = 'SIGTERM') => stop(signal),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // Not SIGKILL at once: it ends what it started, such as queries of package managers.
      const force = setTimeout(() => child.kill('SIGKILL'), 5000);
      await stop('SIGTERM');
      clearTimeout(force);
    },
  };
}

/** The kernel ends it with this process, even if that is killed; setpriv execs its command. */
function endsWithUs(): string[] {
  const setpriv = findProgram('setpriv');
  return setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL'];
}

/** Runs one command to its end. */
export async function runHostler(
  args: string[],
  {
    env = {},
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-')),
    compiled = false,
    input = '',
  }: { env?: Record<string, string>; directory?: string; compiled?: boolean; input?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string; directory: string }> {
  const { child, said, ended } = spawnHostler(args, { directory, env, compiled });
  child.stdin.end(input);
  return { code: await ended, ...said, directory };
}

interface SpawnOptions {
  directory: string;
  env?: Record<string, string>;
  compiled?: boolean;
  cwd?: string;
  /** A program that starts it by exec. */
  within?: readonly string[];
}

/** A command that runs until it ends, or is ended; what it wrote so far, and its exit code. */
export function spawnHostler(
  args: readonly string[],
  { directory, env = {}, compiled = false, cwd, within = [] }: SpawnOptions,
) {
  const [program = '', ...before] = [...within, ...commandLine(compiled)];
  const child = spawn(program, [...before, ...args], { cwd, env: serviceEnvironment(directory, env) });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      said[name] += chunk;
    });
  // It may stop reading before the end.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said, ended };
}

/** A token with these scopes; its secret. */
export async function createToken({ directory }: { directory: string }, name: string, scopes: string): Promise<string> {
  const { stdout } = await runHostler(['token', 'create', '--name', name, '--scope', scopes], { directory });
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** With the token of the service unless another one is given; null: without a token. */
export function postJson(
  { base, token }: Pick<RunningHostler, 'base' | 'token'>,
  route: string,
  body: unknown = {},
  secret: string | null = token,
): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...(secret === null ? {} : { 'X-API-Token': secret }) };
  return fetch(`${base}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

export function commandLine(compiled: boolean, preload?: string): [string, ...string[]] {
  if (compiled) return [path.join(root, 'dist', 'hostler')];
  const first = preload === undefined ? [] : ['--preload', preload];
  return [process.execPath, '--no-env-file', '--config=/dev/null', ...first, path.join(root, 'src', 'main.ts')];
}

export function serviceEnvironment(directory: string, env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: path.join(directory, 'home'),
    TMPDIR: os.tmpdir(),
    SERVICE_CONFIG_DIR: path.join(directory, 'config'),
    SERVICE_STATE_DIR: path.join(directory, 'state'),
    SERVICE_HOST: '127.0.0.1',
    // Never the session of the user who runs the tests.
    XDG_RUNTIME_DIR: path.join(directory, 'run'),
    DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${path.join(directory, 'no-bus')}`,
    ...env,
  };
}

/** Retries until the result is not null. The limit is for a broken test, not for a slow machine. */
export async function until<T>(ask: () => T | null | Promise<T | null>, limitMs = 60_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > end) throw new Error(`timed out after ${limitMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function collectOutput(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return () => output;
}

function exchange(port: number, bytes: string | Uint8Array, forMs = 2000): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = '';
    const timer = setTimeout(() => socket.destroy(), forMs);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.write(bytes);
  });
}
