import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import type { Reason } from '../../../src/core/reasons.ts';
import { processesLinux } from '../../../src/features/processes/processes.linux.ts';
import { type Process, processesSchema } from '../../../src/features/processes/processes.schema.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { collectReasons, unexplained } from '../../harness/machines.ts';
import { countOpenFiles } from '../../harness/open-files.ts';
import { until } from '../../harness/until.ts';
import { endProcess } from '../harness/end-process.ts';
import { needs } from '../harness/parts.ts';
import { hasPsutil, type Psutil, startLoad, startPsutil } from '../harness/psutil.ts';

const patienceMs = 120_000;
const python = '/usr/bin/python3';

const started = new Set<ChildProcess>();
function start(program: string, args: string[], options: { cwd?: string; argv0?: string } = {}): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  started.add(child);
  return child;
}
async function end(child: ChildProcess): Promise<void> {
  started.delete(child);
  await endProcess(child);
}
afterEach(async () => {
  for (const child of started) await end(child);
});

function createReader() {
  const host = createLinuxHost('6.0.0', startThread);
  const source = processesLinux(host, fakeContext());
  return {
    async read(): Promise<Process[]> {
      const { reasons, collected } = collectReasons();
      const payload = await source.read(reasons);
      expect(unexplained(payload, collected)).toEqual([]);
      return payload ?? [];
    },
    async close() {
      source.close?.();
      await host.close();
    },
  };
}

const isCut = (name: string) => Buffer.byteLength(name) >= 15;
const find = (processes: Process[], pid: number | undefined) => processes.find(({ id }) => id === pid);
const ourName = spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasPsutil())('processes beside psutil', () => {
  let psutil: Psutil;
  const reader = createReader();
  beforeAll(() => {
    psutil = startPsutil();
  });
  afterAll(async () => {
    psutil.stop();
    await reader.close();
  });

  interface Theirs {
    pid: number;
    name: string;
    create_time: number;
    exe: string | null;
    cwd: string | null;
    status: string;
    username: string;
    memory_percent: number | null;
  }
  const everything =
    "[dict(p.info, exe=exe(p)) for p in psutil.process_iter(['pid','name','create_time','cwd','status','username','memory_percent'])]";

  /** The differences, for processes that psutil described alike before and after. */
  async function differences(): Promise<Map<string, string>> {
    const before = await psutil.ask<Theirs[]>(everything);
    const ours = await reader.read();
    const after = await psutil.ask<Theirs[]>(everything);
    const stayed = before.filter((one) => {
      const later = after.find(({ pid }) => pid === one.pid);
      return later !== undefined && later.memory_percent !== null && sameBut(one, later);
    });
    expect(stayed.length).toBeGreaterThan(5);
    return new Map(stayed.flatMap((theirs) => differencesOf(theirs, find(ours, theirs.pid))));
  }
  const sameBut = ({ memory_percent: _a, ...one }: Theirs, { memory_percent: _b, ...other }: Theirs) =>
    JSON.stringify(one) === JSON.stringify(other);

  function differencesOf(theirs: Theirs, mine: Process | undefined): [string, string][] {
    const memory = theirs.memory_percent ?? 0;
    const same: Record<string, boolean> = {
      // psutil completes truncated names only from the command line.
      name: mine?.name === theirs.name || (isCut(theirs.name) && mine?.path?.endsWith(`/${mine.name}`) === true),
      // psutil caches the boot time of its first call.
      created: Math.abs((mine?.created ?? 0) - theirs.create_time) < 1.02,
      path: (mine?.path ?? '') === (theirs.exe ?? ''),
      working_directory: (mine?.working_directory ?? '') === (theirs.cwd ?? ''),
      // The reader is running while it reads.
      status: mine?.status === theirs.status || [mine?.status, theirs.status].includes('running'),
      username: mine?.username === theirs.username,
      // The kernel counts this per processor, and sums it exactly only for the file that psutil reads.
      memory_usage: Math.abs((mine?.memory_usage ?? -1) - memory) <= 0.2 * memory + 0.05,
    };
    const different = Object.keys(same).filter((field) => !same[field]);
    const both = `${JSON.stringify(mine)} beside ${JSON.stringify(theirs)}`;
    return different.map((field) => [`${field} of ${theirs.pid}`, both]);
  }

  test(
    'every field of every process matches',
    async () => {
      const load = startLoad();
      let different = await differences();
      // A process may change between two readings, but not always.
      for (let round = 0; round < 20 && different.size > 0; round += 1) {
        await pause(200);
        const again = await differences();
        different = new Map([...again].filter(([what]) => different.has(what)));
      }
      load.stop();
      expect([...different]).toEqual([]);
    },
    patienceMs,
  );

  test.each([
    ['one thread', 'while True: pass'],
    [
      'several threads',
      'import threading\ndef work():\n  while True: pass\nfor i in range(3): threading.Thread(target=work).start()\n',
    ],
  ])(
    'the CPU usage of a busy process with %s matches over the same interval',
    async (_kind, program) => {
      const busy = start(python, ['-c', program]);
      const ask = () =>
        psutil.ask<number>(`globals().setdefault('p${busy.pid}', psutil.Process(${busy.pid})).cpu_percent()`);
      await ask();
      await reader.read();
      // Both measure nearly the same interval, unless the machine is so busy that one waits in between: then retry.
      const near = async () => {
        await pause(1000);
        const [theirs, ours] = [await ask(), find(await reader.read(), busy.pid)?.cpu_usage ?? -1];
        return theirs > 5 && Math.abs(theirs - ours) <= 10;
      };
      await until(near, 'both say the same', 60_000);
    },
    patienceMs,
  );
});

describe('processes of all kinds', () => {
  let directory: string;
  const reader = createReader();
  beforeAll(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-processes-'));
  });
  afterAll(async () => {
    fs.rmSync(directory, { recursive: true });
    await reader.close();
  });

  test.each([
    'with blanks',
    ') R 1 (',
    '(brackets)',
    'two\nlines',
    'Größe und Maß',
    '🐴',
    '$(id) `id` %s\\n',
    'a name far longer than the kernel keeps',
    '"quotes\'',
  ])(
    'a program that is named %j has this name, its path and its directory',
    async (name) => {
      const program = path.join(directory, name);
      const cwd = path.join(directory, `in ${name}`);
      fs.copyFileSync('/bin/sleep', program);
      fs.mkdirSync(cwd);
      const child = start(program, ['600'], { cwd });
      await reader.read();
      const seen = find(await reader.read(), child.pid);
      expect(seen).toMatchObject({ name, path: program, working_directory: cwd, username: ourName });
      expect(Math.abs((seen?.created ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    },
    patienceMs,
  );

  test(
    'a name that is not valid text does no harm',
    async () => {
      const program = `import os, shutil
file = b'${directory}/\\xff\\xfe\\x01'
shutil.copy('/bin/sleep', file)
os.execv(file, [file, b'600'])`;
      const child = start(python, ['-c', program]);
      await until(async () => {
        const seen = find(await reader.read(), child.pid);
        return seen?.name === '\ufffd\ufffd\x01' && seen.path?.startsWith(`${directory}/`) === true;
      }, 'it is listed');
      JSON.parse(JSON.stringify(await reader.read()));
    },
    patienceMs,
  );

  test(
    'a process that is stopped, continues and ends is reported as such',
    async () => {
      const child = start('/bin/sleep', ['600']);
      const status = async () => find(await reader.read(), child.pid)?.status;
      await until(async () => (await status()) === 'sleeping', 'it sleeps');
      child.kill('SIGSTOP');
      await until(async () => (await status()) === 'stopped', 'it is stopped');
      child.kill('SIGCONT');
      await until(async () => (await status()) === 'sleeping', 'it sleeps again');
      await end(child);
      expect(find(await reader.read(), child.pid)).toBeUndefined();
    },
    patienceMs,
  );

  test(
    'a zombie is reported with its user and its name',
    async () => {
      const parent = start(python, ['-c', 'import os, time\nif os.fork() == 0: os._exit(0)\ntime.sleep(600)']);
      const zombieOf = async () => {
        const all = await reader.read();
        return all.find(({ status, id }) => status === 'zombie' && parentOf(id) === parent.pid);
      };
      await until(async () => (await zombieOf()) !== undefined, 'there is a zombie');
      expect(await zombieOf()).toMatchObject({ memory_usage: 0, username: ourName, cpu_usage: 0 });
    },
    patienceMs,
  );

  test(
    'a process that executes another program as another user in another directory is updated',
    async () => {
      const program = `import os, sys
sys.stdin.readline()
os.chdir('/usr')
os.execv('/bin/sleep', ['sleep', '600'])`;
      const child = spawn(python, ['-c', program], { stdio: ['pipe', 'ignore', 'ignore'] });
      started.add(child);
      const seen = async () => find(await reader.read(), child.pid);
      await until(async () => (await seen())?.name.startsWith('python') === true, 'it runs Python');
      child.stdin.write('\n');
      await until(async () => (await seen())?.name === 'sleep', 'it runs sleep');
      expect(await seen()).toMatchObject({ working_directory: '/usr', path: fs.realpathSync('/bin/sleep') });
    },
    patienceMs,
  );

  test(
    'a burst of short-lived processes does no harm',
    async () => {
      const storm = `import os
while True:
  pid = os.fork()
  if pid == 0: os._exit(0)
  os.waitpid(pid, 0)`;
      const stays = start('/bin/sleep', ['600']);
      const storms = [1, 2].map(() => start(python, ['-c', storm]));
      const descriptors = () => countOpenFiles('/proc/');
      await reader.read();
      const before = descriptors();
      for (let round = 0; round < 30; round += 1) {
        await pause(110);
        const all = processesSchema.parse(await reader.read());
        for (const pid of [1, process.pid, stays.pid, ...storms.map(({ pid }) => pid)])
          expect({ pid, listed: find(all, pid)?.id }).toEqual({ pid, listed: pid });
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
        expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
      }
      for (const child of [...storms, stays]) await end(child);
      // Processes that ran when the burst began may keep theirs.
      await pause(110);
      expect((await reader.read()).length + before).toBeGreaterThan(descriptors());
    },
    patienceMs,
  );

  test(
    'closing gives every descriptor back',
    async () => {
      const own = createReader();
      await own.read();
      await own.close();
      const before = countOpenFiles('/proc/');
      const other = createReader();
      for (let round = 0; round < 3; round += 1) await other.read();
      expect(countOpenFiles('/proc/')).toBeGreaterThan(before);
      await other.close();
      expect(countOpenFiles('/proc/')).toBe(before);
    },
    patienceMs,
  );
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: readers of other users and namespaces need root');

describe.skipIf(!isRoot || !needs('unshare', 'mount', 'setpriv'))('processes as another user sees them', () => {
  const nobody = 65_534;
  const script = path.join(import.meta.dirname, '..', 'harness', 'processes-reader.ts');
  const bun = [process.execPath, '--no-env-file', '--config=/dev/null', script];

  function readBy(before: string[], args: string[], env: Record<string, string> = {}) {
    const [program = '', ...rest] = [...before, ...bun, ...args];
    const { stdout, stderr, status } = spawnSync(program, rest, { encoding: 'utf8', env: { ...process.env, ...env } });
    if (status !== 0) throw new Error(`the reader failed: ${stderr}`);
    const { pid, payload, reasons }: { pid: number; payload: Process[]; reasons: Reason[] } = JSON.parse(stdout);
    expect(unexplained(payload, reasons)).toEqual([]);
    return { pid, payload: processesSchema.parse(payload), reasons };
  }

  test(
    'an ordinary user sees all processes, but not the executables of other users',
    () => {
      const { pid, payload, reasons } = readBy([], [String(nobody)]);
      expect(find(payload, process.pid)).toMatchObject({ username: 'root', path: null, working_directory: null });
      expect(find(payload, process.pid)?.memory_usage).toBeGreaterThan(0);
      expect(find(payload, pid)).toMatchObject({ username: 'nobody' });
      expect(reasons).toContainEqual({
        field: '[].path',
        reason: expect.stringContaining('CAP_SYS_PTRACE'),
        mendable: true,
      });
    },
    patienceMs,
  );

  test.each(['hidepid=1', 'hidepid=2'])(
    'where /proc is mounted with %s, a user sees their own processes, and the reason',
    (option) => {
      const mountPoint = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-hidden-'));
      try {
        // A separate namespace: before Linux 5.8 the option applied to all mounts of one.
        const shell = `mount -t proc -o ${option} proc ${mountPoint} && "$@"`;
        const { payload, reasons } = readBy(
          ['unshare', '--mount', '--pid', '--fork', '--propagation=private', 'sh', '-c', shell, 'sh'],
          [String(nobody)],
          { HOSTLER_PROC: mountPoint },
        );
        expect(payload.map(({ username }) => username)).toEqual(['nobody']);
        expect(reasons).toContainEqual({ field: '[]', reason: expect.stringContaining('hidepid'), mendable: true });
      } finally {
        fs.rmdirSync(mountPoint);
      }
    },
    patienceMs,
  );

  test(
    'the /proc of the machine, read from a container with its own PIDs, describes the machine',
    async () => {
      const load = startLoad();
      const read = () => readBy(['unshare', '--pid', '--fork'], [], { HOSTLER_PROC: '/proc' });
      try {
        const { pid, payload } = read();
        expect(pid).toBeLessThan(100);
        expect(find(payload, process.pid)).toMatchObject({
          name: path.basename(process.execPath),
          path: fs.realpathSync(process.execPath),
        });
        const isBusy = ({ name, cpu_usage }: Process) => name.startsWith('python') && cpu_usage > 5;
        await until(() => read().payload.some(isBusy), 'the busy one is seen');
      } finally {
        load.stop();
      }
    },
    patienceMs,
  );

  test(
    'a user without a name is a number',
    async () => {
      const child = start('setpriv', ['--reuid=54321', '--clear-groups', '/bin/sleep', '600']);
      const reader = createReader();
      await until(async () => find(await reader.read(), child.pid)?.username === '54321', 'it has a number');
      await reader.close();
    },
    patienceMs,
  );
});

/** From the status, since `stat` has the name in it. */
function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\t(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}
