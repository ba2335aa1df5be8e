import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { commandLine, root, serviceEnvironment, until } from '../../test/real/harness/service.ts';

/** A server under measurement, in its own process. */
export interface Running {
  name: string;
  pid: number;
  port: number;
  /** On the clock of `performance.now()`, just before the process was made. */
  startedAt: number;
  /** What it wrote so far. */
  output(): string;
  stop(): Promise<void>;
}

export interface RunningHostler extends Running {
  token: string;
}

/** Of the service and the bare server: the source run by Bun, or one compiled file. */
export type Form = 'source' | 'compiled';

const children = new Set<ChildProcess>();
const directories = new Set<string>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const directory of directories) fs.rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Removed when the script ends. */
export function temporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-bench-'));
  directories.add(directory);
  return directory;
}

/** Starts a program that serves `port`, and waits for what it writes when it does; `says` null: until it takes a connection. */
export async function startProgram(
  name: string,
  [program, ...args]: [string, ...string[]],
  { port, env, says }: { port: number; env: Record<string, string>; says: string | null },
): Promise<Running> {
  const startedAt = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (says !== null && output.includes(says)) resolve();
      });
    }
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} ended before it served: ${output}`)));
  });
  const accepting = says === null ? until(async () => ((await accepts(port)) ? true : null)) : ready;
  await Promise.race([ready, accepting]);
  // It may end later without a waiting caller.
  ready.catch(() => {});
  return {
    name,
    pid: child.pid ?? 0,
    port,
    startedAt,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      children.delete(child);
    },
  };
}

/** Hostler as a unit would start it (`hostler serve`), with its own settings and state. */
export async function startHostler(
  form: Form,
  {
    directory = temporaryDirectory(),
    env = {},
    through = [],
  }: { directory?: string; env?: Record<string, string>; through?: readonly string[] } = {},
): Promise<RunningHostler> {
  if (form === 'compiled') evict(compiledHostler);
  const port = await freePort();
  fs.mkdirSync(path.join(directory, 'home'), { recursive: true });
  const [program = '', ...args] = [...through, ...commandLine(form === 'compiled'), 'serve'];
  const running = await startProgram(`hostler, ${form}`, [program, ...args], {
    port,
    env: serviceEnvironment(directory, { SERVICE_PORT: String(port), ...env }),
    says: 'listening on',
  });
  return { ...running, token: fs.readFileSync(path.join(directory, 'state', 'token'), 'utf8').trim() };
}

interface BareOptions {
  /** The file with what it sends, see bare-server.ts. */
  answer?: string;
  headersOnce?: boolean;
  /** What it sends to its WebSockets. */
  publish?: { bytes: number; everyMs: number };
  env?: Record<string, string>;
}

/** A `Bun.serve` with nothing around it. */
export async function startBare(
  form: Form,
  { answer = '', headersOnce = false, publish, env = {} }: BareOptions = {},
): Promise<Running> {
  const port = await freePort();
  const source = path.join(import.meta.dirname, 'bare-server.ts');
  const command: [string, ...string[]] =
    form === 'compiled' ? [compileBare(source)] : [process.execPath, '--no-env-file', '--config=/dev/null', source];
  return startProgram(`bare Bun.serve${headersOnce ? ' with Headers made once' : ''}, ${form}`, command, {
    port,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      ANSWER: answer,
      HEADERS_ONCE: headersOnce ? '1' : '0',
      ...(publish && { PUBLISH_BYTES: String(publish.bytes), PUBLISH_EVERY_MS: String(publish.everyMs) }),
      ...env,
    },
    says: 'listening on',
  });
}

/** The forms that can be measured here; says what is left out or may be stale. */
export function availableForms(): Form[] {
  if (!fs.existsSync(compiledHostler)) {
    note('dist/hostler is not there: the compiled form is left out. `npm run build` makes it.');
    return ['source'];
  }
  const built = fs.statSync(compiledHostler).mtimeMs;
  const sources = fs.readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const newer = sources
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .some((name) => fs.statSync(path.join(root, 'src', name)).mtimeMs > built);
  if (newer) note('dist/hostler is older than the source: `npm run build` first if the compiled rows should count.');
  return ['source', 'compiled'];
}

const compiledHostler = path.join(root, 'dist', 'hostler');
const evicted = new Set<string>();

/** A file that was just written is mapped in larger pieces: 4 MiB more are resident than of the same file read from the disk. */
function evict(file: string): void {
  if (evicted.has(file)) return;
  evicted.add(file);
  Bun.spawnSync(['sync', file]);
  Bun.spawnSync(['dd', `if=${file}`, 'iflag=nocache', 'count=0'], { stderr: 'ignore' });
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() =>
        typeof bound === 'object' && bound !== null ? resolve(bound.port) : reject(new Error('no port')),
      );
    });
  });
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

const compiledBare = new Map<string, string>();

/** Once a run, with the flags of scripts/build.mjs. */
function compileBare(source: string): string {
  const known = compiledBare.get(source);
  if (known !== undefined) return known;
  const outfile = path.join(temporaryDirectory(), 'bare');
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm'];
  const settings = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      '--no-env-file',
      '--config=/dev/null',
      'build',
      ...flags,
      ...settings,
      source,
      '--outfile',
      outfile,
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  );
  if (exitCode !== 0) throw new Error(`the bare server cannot be compiled: ${stderr}`);
  evict(outfile);
  compiledBare.set(source, outfile);
  return outfile;
}
