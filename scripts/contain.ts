// Runs a program and, when it ends, ends everything that it started, even if the parent is gone: a test that failed, a run
// that was interrupted, a runtime that was killed. The kernel gives orphans to the nearest "subreaper" above them, which
// is this process (https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html); so no descendant escapes,
// and no foreign process is included.
//
//     bun contain.ts <scratch> <program> [args…]
//
// The parent holds standard input open: when it is closed, everything ends, and the scratch directory is removed.
import { dlopen } from 'bun:ffi';
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const setChildSubreaper = 36;
const doNotWait = 1;
/** Time for an orderly end; then SIGKILL. */
const graceMs = 1000;
/** Processes that the kernel does not release by then are named, and left. */
const limitMs = 20_000;

const libc = openLibc();
if (libc?.prctl(setChildSubreaper, 1n, 0n, 0n, 0n) !== 0)
  process.stdout.write('== this system does not give orphans to this process: they may be left running\n');

const [scratch = '', ...command] = process.argv.slice(2);
// If this process is killed, the kernel ends at least its direct child.
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => fs.existsSync(file));
const [program = '', ...args] = setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', ...command];
const ending = Promise.withResolvers<number>();
// Before anything is started: a signal may arrive at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.resolve(130));
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const reaping = setInterval(reap, 25);

child.once('error', (error) => {
  process.stderr.write(`${program} cannot be started: ${error.message}\n`);
  ending.resolve(1);
});
child.once('exit', (code, signal) => {
  if (signal !== null) process.stdout.write(`== ended by ${signal}\n`);
  ending.resolve(code ?? 1);
});
let isAlone = false;
process.stdin.once('end', () => {
  isAlone = true;
  ending.resolve(130);
});
process.stdin.on('error', () => ending.resolve(130));
process.stdin.resume();

const code = await ending.promise;
const left = await endDescendants();
clearInterval(reaping);
if (left.length > 0 && !isAlone)
  process.stdout.write(`== left running by the tests, and ended now: ${left.join(', ')}\n`);
if (isAlone) fs.rmSync(scratch, { recursive: true, force: true });
process.exit(code);

/** Ends all processes below this one; returns the names of those that were still running. */
async function endDescendants(): Promise<string[]> {
  const from = performance.now();
  const names = new Map<number, string>();
  for (;;) {
    reap();
    const running = descendants();
    const waited = performance.now() - from;
    if (running.length === 0 || waited > limitMs) return [...names].map(([pid, name]) => `${name} (${pid})`);
    for (const { pid, name } of running) {
      // Repeatedly: a process that is ended may just have started another one.
      if (!names.has(pid)) signal(pid, 'SIGTERM');
      else if (waited > graceMs) signal(pid, 'SIGKILL');
      names.set(pid, name);
    }
    await Bun.sleep(50);
  }
}

interface Entry {
  pid: number;
  parent: number;
  name: string;
  state: string;
}

/** Every running process below this one, the deepest first. */
function descendants(): Entry[] {
  const all = everyProcess();
  const below = (parent: number): Entry[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [...below(entry.pid), entry]);
  return below(process.pid).filter(({ state }) => state !== 'Z');
}

/** Reaps orphans that ended; the runtime reaps the child that was started here. */
function reap(): void {
  for (const { pid, parent, state } of ownChildren())
    if (state === 'Z' && parent === process.pid && pid !== child.pid) libc?.waitpid(pid, null, doNotWait);
}

/** Most kernels list them in one file. */
function ownChildren(): Entry[] {
  try {
    const text = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    return text.trim().split(' ').flatMap(describe);
  } catch {
    return everyProcess();
  }
}

function everyProcess(): Entry[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(describe);
}

function describe(pid: string): Entry[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [{ pid: Number(pid), parent: Number(parent), state, name }];
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function openLibc() {
  for (const name of ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']) {
    try {
      return dlopen(name, {
        prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
        waitpid: { args: ['i32', 'ptr', 'i32'], returns: 'i32' },
      }).symbols;
    } catch {
      // Another C library, or another system.
    }
  }
  return null;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile, or the PID belongs to another user by now.
  }
}
