import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root, until } from './service.ts';
import { enterArguments, lacksWineTree, wineTree } from './wine-tree.ts';

const target = process.arch === 'arm64' ? 'windows-arm64' : 'windows-x64';
const directory = path.join(root, 'dist', `hostler-${target}`);

/** Whether the Windows build can be tested here; if not, the reason is printed, also where CI=true: installing packages would not change it. */
export function needsWine(): boolean {
  const reason = lacksWine();
  if (reason !== null) console.warn(`skipped: ${reason}`);
  return reason === null;
}

/** Builds it once per process: every describe calls this. */
function lacksWine(): string | null {
  if (tried.reason === undefined) tried.reason = tryWine();
  return tried.reason;
}

const tried: { reason?: string | null } = {};

function tryWine(): string | null {
  const reason = lacksWineTree();
  if (reason !== null) return reason;
  if (isFresh()) return null;
  const built = spawnSync('node', [path.join(root, 'scripts', 'build.mjs'), '--target', target], { encoding: 'utf8' });
  return built.status === 0 ? null : `the Windows build failed: ${built.stderr.trim().split('\n').at(-1)}`;
}

/** Everything that goes into the program; directories too, because removals change them. */
const ingredients = ['src', 'packages', 'web', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Whether the build is newer than its sources: a dozen test files need it, and building takes 6 s. */
function isFresh(): boolean {
  const since = fs.statSync(path.join(directory, 'hostler.exe'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOlder = (file: string) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since;
  return ingredients
    .map((name) => path.join(root, name))
    .every((place) => {
      if (!isOlder(place)) return false;
      if (!fs.statSync(place).isDirectory()) return true;
      const inside = fs.readdirSync(place, { recursive: true, encoding: 'utf8' });
      return inside.every((name) => isOlder(path.join(place, name)));
    });
}

export interface WineOptions {
  /** Shell commands that mount something into the tree, which is $0, before it is entered. */
  mounts?: string[];
  environment?: Record<string, string>;
  /** A private network, with one card that is not connected. */
  alone?: boolean;
}

/**
 * A private Windows: the program is in C:\hostler, and changes on C: are discarded at the end.
 * `command` is run in a shell, in C:\hostler, and everything ends with it.
 */
export function startWine(command: string, { mounts = [], environment = {}, alone = false }: WineOptions = {}) {
  const layer = fs.mkdtempSync(`${wineTree}-layer-`);
  for (const name of ['changes', 'work']) fs.mkdirSync(path.join(layer, name));
  const overlay = `lowerdir=$0/w/pfx,upperdir=${layer}/changes,workdir=${layer}/work`;
  const all = [
    `mount -t overlay pfx -o ${overlay} "$0/w/pfx"`,
    'mkdir -p "$0/w/pfx/drive_c/hostler"',
    `mount --bind ${JSON.stringify(directory)} "$0/w/pfx/drive_c/hostler"`,
    ...mounts,
    ...(alone ? lonelyCard : []),
  ];
  const script = `cd /w/pfx/drive_c/hostler && { ${command}\n}`;
  const child = spawn(
    'unshare',
    [...(alone ? ['-n'] : []), ...enterArguments(wineTree, script, { mounts: all, environment })],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    output: () => output,
    /** C: from outside; it contains only changes. */
    changed: (file: string) => path.join(layer, 'changes', 'drive_c', file),
    ended,
    input: child.stdin,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      // unshare ends its child with itself, and the child is the first process of its namespace: all processes in it end.
      const first = firstInside(child.pid);
      child.kill('SIGKILL');
      await ended;
      await until(() => (isGone(first) ? true : null));
      fs.rmSync(layer, { recursive: true, force: true });
    },
  };
}

/** The first process of its namespace, which ends after all the others. */
function firstInside(outer: number | undefined): string {
  try {
    return fs.readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The sockets of X servers, for Windows programs with windows. */
export const x11Mounts = ['mkdir -p "$0/tmp/.X11-unix"', 'mount --bind /tmp/.X11-unix "$0/tmp/.X11-unix"'];

/** A zombie stays in the table until it is reaped. */
function isGone(pid: string): boolean {
  try {
    return pid === '' || /\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const lonelyCard = [
  'ip link set lo up',
  'ip link add eth7 type veth peer name eth8',
  'ip link set eth8 up',
  'ip link set eth7 up',
  'ip addr add 192.0.2.77/24 dev eth7',
  'ip route add default dev eth7',
];

export interface WineHostler {
  base: string;
  port: number;
  token: string;
  output(): string;
  /** A file on C: that was written since the start, seen from outside. */
  drive(file: string): string;
  /** Runs a shell command beside the service, in the same Windows; its output. */
  beside(command: string): Promise<string>;
  get(route: string): Promise<Response>;
  stop(): Promise<void>;
}

/** The service under Wine. It reads shell commands from its standard input, so that others can be run beside it. */
export async function startWineHostler(options: WineOptions = {}): Promise<WineHostler> {
  const wine = startWine(
    // The file exists before its reader: both start at once, in any order.
    ': > /tmp/serve.txt; wine hostler.exe serve --port 0 >> /tmp/serve.txt 2>&1 & tail -f /tmp/serve.txt & while read -r line; do eval "$line"; done',
    { ...options, environment: { SERVICE_HOST: '127.0.0.1', ...options.environment } },
  );
  const port = await until(() => {
    const match = /listening on http:\/\/\S+:(\d+)/.exec(wine.output());
    if (match !== null) return Number(match[1]);
    if (!wine.isRunning()) throw new Error(`Wine ended: ${wine.output()}`);
    return null;
  }, 170_000).catch(async (error) => {
    await wine.stop();
    throw new Error(`${error.message}; the output of Wine: ${wine.output()}`);
  });
  const token = fs.readFileSync(wine.changed('users/root/AppData/Local/hostler/token'), 'utf8').trim();
  const base = `http://127.0.0.1:${port}`;
  let asked = 0;
  return {
    base,
    port,
    token,
    output: wine.output,
    drive: wine.changed,
    async beside(command) {
      asked += 1;
      const [begin, end] = [`== begin ${asked}\n`, `== end ${asked}\n`];
      // By way of a file: the log of the service is written to the same output meanwhile.
      const file = `/tmp/beside-${asked}.txt`;
      wine.input.write(`{ ${command}; } > ${file} 2>&1; echo "${begin.trim()}"; cat ${file}; echo "${end.trim()}"\n`);
      await until(() => (wine.output().includes(end) ? true : null), 120_000);
      const output = wine.output();
      return output.slice(output.indexOf(begin) + begin.length, output.indexOf(end));
    },
    get: (route) => fetch(`${base}${route}`, { headers: { 'X-API-Token': token } }),
    stop: wine.stop,
  };
}
