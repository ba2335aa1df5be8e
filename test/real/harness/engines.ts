import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endProcess } from './end-process.ts';
import { findProgram, needs } from './parts.ts';
import { root, until } from './service.ts';

/** A real container engine with all its state in a private directory: no network, no firewall, no registry. */
export interface RealEngine extends AsyncDisposable {
  socket: string;
  /** A process of the engine, such as dockerd; null: it is not running. */
  pid(): number | null;
  /** Runs the client of the engine; throws its error output. */
  cli(...args: string[]): string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether engines can run here; if not, the reason is printed. */
export function hasEngines(): boolean {
  if (process.getuid?.() !== 0) {
    console.warn('skipped: container engines are started by root only');
    return false;
  }
  return needs('dockerd', 'docker', 'podman', 'runc', 'unshare', 'nsenter', '/bin/busybox');
}

/** The Docker of Debian. null: this kernel does not allow it; the reason is printed. */
export async function startDocker(): Promise<RealEngine | null> {
  const directory = newDirectory('docker');
  const socket = path.join(directory, 'docker.sock');
  const parent = `hostler-test-${process.pid}`;
  const daemon = [
    'dockerd',
    '--data-root',
    path.join(directory, 'data'),
    '--exec-root',
    path.join(directory, 'exec'),
    '-H',
    `unix://${socket}`,
    '--pidfile',
    path.join(directory, 'pid'),
    '--cgroup-parent',
    `/${parent}`,
    '--iptables=false',
    '--ip6tables=false',
    '--ip-forward=false',
    '--bridge=none',
    '--storage-driver=vfs',
  ];
  const engine = createEngine({
    directory,
    socket,
    parent,
    daemon,
    client: ['docker', '-H', `unix://${socket}`],
    isReady: ['version'],
    removeAll: (cli) => {
      const ids = cli('ps', '-aq').split('\n').filter(Boolean);
      if (ids.length > 0) cli('rm', '-f', ...ids);
    },
  });
  return await started(engine, 'Docker', path.join(directory, 'log'));
}

/** The Podman of Debian with runc: crun refuses the mixed control groups of some kernels. */
export async function startPodman(): Promise<RealEngine | null> {
  const directory = newDirectory('podman');
  const socket = path.join(directory, 'podman.sock');
  const settings = path.join(directory, 'storage.conf');
  // On its command line the second must not be longer than 50 characters.
  const places = [
    ['graphroot', path.join(directory, 'root')],
    ['runroot', path.join(directory, 'run')],
  ];
  const lines = places.map(([name, place]) => `${name} = ${JSON.stringify(place)}\n`);
  fs.writeFileSync(settings, `[storage]\ndriver = "vfs"\n${lines.join('')}`);
  const client = [
    'podman',
    '--cgroup-manager',
    'cgroupfs',
    '--runtime',
    'runc',
    '--tmpdir',
    path.join(directory, 'tmp'),
  ];
  const engine = createEngine({
    directory,
    socket,
    parent: null,
    daemon: [...client, 'system', 'service', '--time', '0', `unix://${socket}`],
    client,
    isReady: ['info'],
    env: { CONTAINERS_STORAGE_CONF: settings },
    removeAll: (cli) => cli('rm', '-af', '-t', '1'),
  });
  return await started(engine, 'Podman', path.join(directory, 'log'));
}

/** An unused user id, which no file of the machine mentions. */
const rootlessUser = 54_322;

/** An engine of that user; `become` starts a program as that user, who owns the runtime directory. */
export interface RootlessEngine extends RealEngine {
  user: number;
  become: string[];
  runtimeDirectory: string;
}

/** The Podman of Debian as for an ordinary user, at its usual socket. With a single user in its containers: no privileged helper is needed. */
export async function startRootlessPodman(): Promise<RootlessEngine | null> {
  const directory = newDirectory('rootless');
  const runtimeDirectory = path.join(directory, 'run');
  const socket = path.join(runtimeDirectory, 'podman', 'podman.sock');
  fs.mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 });
  for (const place of [directory, runtimeDirectory, path.dirname(socket)])
    fs.chownSync(place, rootlessUser, rootlessUser);
  const become = ['setpriv', `--reuid=${rootlessUser}`, `--regid=${rootlessUser}`, '--clear-groups'];
  const { status } = spawnSync('setpriv', [...become.slice(1), 'test', '-r', path.join(root, 'src', 'main.ts')]);
  if (status !== 0) {
    console.warn(`skipped: an ordinary user cannot read ${root}, so no service can run as one`);
    fs.rmSync(directory, { recursive: true });
    return null;
  }
  const client = ['podman', '--storage-driver', 'vfs', '--cgroup-manager', 'cgroupfs', '--runtime', 'runc'];
  const engine = createEngine({
    directory,
    socket,
    parent: null,
    daemon: [...client, 'system', 'service', '--time', '0', `unix://${socket}`],
    client,
    isReady: ['info'],
    removeAll: (cli) => cli('rm', '-af', '-t', '1'),
    become,
    env: { XDG_RUNTIME_DIR: runtimeDirectory },
    // Keeps the namespace of the user.
    left: path.join(runtimeDirectory, 'libpod', 'tmp', 'pause.pid'),
  });
  const running = await started(engine, 'Podman without root', path.join(directory, 'log'));
  return running === null ? null : Object.assign(running, { user: rootlessUser, become, runtimeDirectory });
}

/** Options for every `run` of Podman where limits cannot be raised, and there is no network. */
export const podmanLimits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096', '--network', 'none'];

/** Engines create sockets below it, whose paths must be short, and mount file systems there. */
const newDirectory = (name: string) => {
  const usual = os.tmpdir();
  return fs.mkdtempSync(path.join(/^[\w/.-]{1,48}$/.test(usual) ? usual : '/tmp', `hostler-${name}-`));
};

/** Its images: `bb:1` is busybox and nothing else, `empty:1` not even that. */
function makeImages(engine: RealEngine, directory: string): void {
  const bin = path.join(directory, 'image', 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.copyFileSync('/bin/busybox', path.join(bin, 'busybox'));
  fs.chmodSync(path.join(bin, 'busybox'), 0o755);
  for (const name of ['sh', 'sleep', 'echo', 'cat', 'true', 'test', 'tail', 'rm', 'dd'])
    fs.symlinkSync('busybox', path.join(bin, name));
  const nothing = path.join(directory, 'nothing');
  fs.mkdirSync(nothing);
  fs.writeFileSync(path.join(nothing, 'run'), '');
  for (const [from, name] of [
    [path.join(directory, 'image'), 'bb:1'],
    [nothing, 'empty:1'],
  ] as const) {
    const archive = path.join(directory, `${path.basename(from)}.tar`);
    const { status, stderr } = spawnSync('tar', ['-C', from, '-cf', archive, '.'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tar: ${stderr}`);
    // Readable by the user of the engine.
    fs.chmodSync(archive, 0o644);
    engine.cli('import', archive, name);
  }
}

async function started(engine: RealEngine & { directory: string }, name: string, log: string) {
  try {
    await engine.start();
    makeImages(engine, engine.directory);
    // Whether the kernel allows a container is known after the first one.
    const limits = name === 'Docker' ? ['--network', 'none'] : podmanLimits;
    engine.cli('run', '--rm', ...limits, 'bb:1', '/bin/true');
    return engine;
  } catch (error) {
    const said = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ') : '';
    console.warn(`skipped: ${name} does not run on this kernel: ${error} ${said}`);
    await engine[Symbol.asyncDispose]();
    return null;
  }
}

interface EngineParts {
  directory: string;
  socket: string;
  /** The control group of all its processes; null: it has its own. */
  parent: string | null;
  daemon: string[];
  client: string[];
  isReady: string[];
  removeAll(cli: RealEngine['cli']): unknown;
  /** Starts a program as another user. */
  become?: string[];
  env?: Record<string, string>;
  /** A process that stays when the engine has ended. */
  left?: string;
}

function createEngine(parts: EngineParts) {
  const { directory, socket, parent, daemon, client, isReady, removeAll, become = [], left } = parts;
  let child: ChildProcess | null = null;
  const own = { HOME: directory, TMPDIR: directory, ...parts.env };
  const [program = '', ...before] = [...become, ...client];
  const cli: RealEngine['cli'] = (...args) => {
    const { status, stdout, stderr } = spawnSync(findProgram(program) ?? program, [...before, ...args], {
      encoding: 'utf8',
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', ...own },
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim()}`);
    return stdout.trim();
  };
  const engine: RealEngine & { directory: string } = {
    directory,
    socket,
    pid: () => child?.pid ?? null,
    cli,
    async start() {
      const [service = '', ...args] = daemon;
      const log = fs.openSync(path.join(directory, 'log'), 'a');
      // It ends with us, even if we are killed.
      const ends = ['--pdeathsig', 'TERM', ...become.slice(1)];
      const running = spawn('setpriv', [...ends, findProgram(service) ?? service, ...args], {
        stdio: ['ignore', log, log],
        cwd: directory,
        env: { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, ...own },
      });
      fs.closeSync(log);
      child = running;
      await until(() => {
        if (running.exitCode !== null) throw new Error(`${service} ended with ${running.exitCode}`);
        if (!fs.existsSync(socket)) return null;
        try {
          return cli(...isReady);
        } catch {
          return null;
        }
      });
    },
    async stop() {
      const ending = child;
      child = null;
      await endProcess(ending, 'SIGTERM');
    },
    async [Symbol.asyncDispose]() {
      try {
        if (child !== null) removeAll(cli);
      } catch (error) {
        console.warn(`containers of a test could not be removed: ${error}`);
      }
      await engine.stop();
      if (left !== undefined && fs.existsSync(left)) killProcess(Number(fs.readFileSync(left, 'utf8')));
      // Without root it is a grandchild, and does not always end with its parent.
      if (become.length > 0) for (const pid of processesWith(socket)) killProcess(pid);
      // Mounts of an engine are removed before its directory.
      for (const mounted of mountsBelow(directory)) spawnSync('umount', ['-l', mounted]);
      fs.rmSync(directory, { recursive: true, force: true });
      if (parent !== null) removeGroups(parent);
    },
  };
  return engine;
}

function killProcess(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Processes with it on their command line. */
const processesWith = (text: string) =>
  fs.readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) ? [Number(pid)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });

const mountsBelow = (directory: string) =>
  fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .filter((place) => place.startsWith(`${directory}/`))
    .reverse();

/** Empty by now; groups with ending processes stay. */
function removeGroups(parent: string): void {
  const root = '/sys/fs/cgroup';
  for (const place of [root, ...fs.readdirSync(root).map((name) => path.join(root, name))]) {
    const group = path.join(place, parent);
    try {
      for (const name of fs.readdirSync(group, { withFileTypes: true }))
        if (name.isDirectory()) fs.rmdirSync(path.join(group, name.name));
      fs.rmdirSync(group);
    } catch {
      // This hierarchy has none.
    }
  }
}
