import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { countOpenFiles } from '../../../test/harness/open-files.ts';
import type { BusyProcess, Moment } from '../../core/readings/history.ts';
import { processesHistoryLinux } from './linux/processes.sampler.ts';
import { processesLinux } from './processes.linux.ts';
import type { Process } from './processes.schema.ts';
import { processes } from './processes.ts';

testEachMachine('linux', import.meta.dirname, processes.module, processesLinux);

interface FakeProcess {
  name?: string;
  state?: string;
  flags?: number;
  /** CPU time in hundredths of a second. */
  ticks?: number;
  threads?: number;
  start?: number;
  pages?: number;
  uid?: number;
  path?: string;
}

const second = 1e9;

/** A machine with scripted processes. With `clock` they have CPU clocks, else only /proc. */
function machine({ clock: hasClock = true } = {}) {
  const files = machineFiles({
    '/proc/stat': 'btime 1700000000\n',
    '/proc/meminfo': 'MemTotal:        1024000 kB\n',
    '/proc/uptime': '100.00 100.00\n',
    '/proc/loadavg': '0.20 0.18 0.12 1/80 0\n',
    '/proc/self/status': hasClock ? 'NSpid:\t4242\n' : 'NSpid:\t77\t4242\n',
    '/etc/passwd': 'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n',
  });
  const times = new Map<number, number>();
  const reads = new Map<string, number>();
  const clock = fakeClock();
  const counted = {
    ...files,
    // Immediately, so that only the test advances the clock.
    names: async (path: string) => files.list(path),
    short(path: string) {
      const file = files.short(path);
      return {
        ...file,
        read(into: Uint8Array) {
          reads.set(path, (reads.get(path) ?? 0) + 1);
          return file.read(into);
        },
      };
    },
  };
  const host = fakeHost({ files: counted, clock, processClock: async () => (pid) => times.get(pid) ?? null });
  const source = processesLinux(host, fakeContext());
  return {
    clock,
    source,
    sampler: processesHistoryLinux(host),
    openFiles: () => countOpenFiles(files.root),
    reads: (path: string) => reads.get(path) ?? 0,
    /** Starts or changes a process. `ran`: its CPU time, ns. */
    set(pid: number, ran: number, given: FakeProcess = {}) {
      const { name = 'thing', state = 'S', flags = 4_194_560, ticks = 0, threads = 1 } = given;
      const { start = 1000, pages = 100, uid = 1000, path = '/usr/bin/thing' } = given;
      times.set(pid, ran);
      files.write(`/proc/${pid}/schedstat`, `${ran} 5 6\n`);
      files.write(
        `/proc/${pid}/stat`,
        `${pid} (${name}) ${state} 1 1 1 0 -1 ${flags} 0 0 0 0 ${ticks} 0 0 0 20 0 ${threads} 0 ${start} 1000 ${pages} 0 0\n`,
      );
      files.write(`/proc/${pid}/status`, `Name:\t${name}\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\n`);
      files.remove(`/proc/${pid}/exe`);
      files.write(`/proc/${pid}/exe`, `-> ${path}`);
      files.remove(`/proc/${pid}/cwd`);
      files.write(`/proc/${pid}/cwd`, '-> /home/ada');
    },
    end(pid: number) {
      times.delete(pid);
      // Open descriptors read nothing.
      for (const name of ['stat', 'schedstat']) files.write(`/proc/${pid}/${name}`, '');
      files.remove(`/proc/${pid}`);
    },
    async read(): Promise<Process[]> {
      return (await readOnce(source, clock)).payload ?? [];
    },
    async readOne(pid: number): Promise<Process | undefined> {
      const { payload } = await readOnce(source, clock);
      return payload?.find(({ id }) => id === pid);
    },
  };
}

describe.each([true, false])('processes, with CPU clocks of the kernel: %p', (hasClock) => {
  test('all fields of a process', async () => {
    const { set, read } = machine({ clock: hasClock });
    set(1, second, { name: 'init', uid: 0, path: '/sbin/init', start: 150 });
    set(300, second, { threads: 3, pages: 2560 });
    expect(await read()).toEqual([
      {
        id: 1,
        parent_id: 1,
        name: 'init',
        cpu_usage: 0,
        memory_usage: 0.039,
        created: 1_700_000_001.5,
        start_time: 150,
        path: '/sbin/init',
        status: 'sleeping',
        username: 'root',
        working_directory: '/home/ada',
      },
      {
        id: 300,
        parent_id: 1,
        name: 'thing',
        cpu_usage: 0,
        memory_usage: 1,
        created: 1_700_000_010,
        start_time: 1000,
        path: '/usr/bin/thing',
        status: 'sleeping',
        username: 'ada',
        working_directory: '/home/ada',
      },
    ]);
  });

  test('CPU usage is measured since the last read, 100 per core', async () => {
    const { set, read, clock } = machine({ clock: hasClock });
    set(1, second);
    set(2, second, { ticks: 100 });
    set(3, second, { ticks: 100, threads: 4 });
    await read();
    clock.advance(2000);
    set(2, 1.5 * second, { ticks: 150, state: 'R' });
    set(3, 6 * second, { ticks: 600, threads: 4 });
    expect((await read()).map((process) => process.cpu_usage)).toEqual([0, 25, 250]);
    clock.advance(2000);
    expect((await read()).map((process) => process.cpu_usage)).toEqual([0, 0, 0]);
  });

  test('the first read samples over a tenth of a second', async () => {
    const { set, source, clock } = machine({ clock: hasClock });
    set(1, second);
    clock.after(50, () => set(1, 1.02 * second, { ticks: 2 }));
    const { payload } = await readOnce(source, clock);
    expect(clock.monotonic()).toBe(100);
    expect(payload?.[0]?.cpu_usage).toBe(20);
  });

  test('an old read is not used for CPU usage', async () => {
    const { set, read, clock } = machine({ clock: hasClock });
    set(1, second);
    await read();
    set(1, 9 * second, { ticks: 800 });
    clock.advance(36_000);
    const startedAt = clock.monotonic();
    clock.after(50, () => set(1, 9.05 * second, { ticks: 805 }));
    expect((await read())[0]?.cpu_usage).toBe(50);
    expect(clock.monotonic() - startedAt).toBe(100);
  });

  test('a new process is measured since the last read, or since its start if that is earlier', async () => {
    const { set, read, readOne, clock } = machine({ clock: hasClock });
    set(1, second);
    await read();
    clock.advance(2000);
    set(50, 0.5 * second, { ticks: 50, start: 10_100 });
    set(60, 3 * second, { ticks: 300, start: 7210 });
    const found = await read();
    expect(found.map(({ id, cpu_usage }) => [id, cpu_usage])).toEqual([
      [1, 0],
      [50, 25],
      [60, 10],
    ]);
    clock.advance(2000);
    expect((await readOne(50))?.cpu_usage).toBe(0);
  });

  test('a process that has not run is not read again, except occasionally for its memory', async () => {
    const { set, readOne, reads, clock } = machine({ clock: hasClock });
    set(1, second);
    set(9, second);
    await readOne(9);
    const before = reads('/proc/9/stat');
    set(9, second, { pages: 2560 });
    let rounds = 0;
    while ((await readOne(9))?.memory_usage !== 1) {
      clock.advance(2000);
      rounds += 1;
      if (rounds > 60) throw new Error('its memory was not read within two minutes');
    }
    expect(rounds).toBeGreaterThan(2);
    expect(reads('/proc/9/stat')).toBe(before + 1);
  });

  test('state, memory and name of a process that has run are updated', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(9, second);
    await readOne(9);
    clock.advance(2000);
    set(9, second + 1, { name: 'other', state: 'T', pages: 2560, path: '/usr/bin/other', uid: 0 });
    expect(await readOne(9)).toMatchObject({
      name: 'other',
      status: 'stopped',
      memory_usage: 1,
      path: '/usr/bin/other',
      username: 'root',
    });
  });

  test('a new program with the same name is detected', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(9, second, { flags: 4_194_624 });
    await readOne(9);
    clock.advance(2000);
    set(9, second + 1, { path: '/opt/other/thing' });
    expect((await readOne(9))?.path).toBe('/opt/other/thing');
  });

  test('another user, or a program of the same name, is detected within a minute', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(9, second);
    await readOne(9);
    for (let round = 0; round < 30; round += 1) {
      clock.advance(2000);
      set(9, second + round + 1, { uid: 0, path: '/opt/new/thing' });
      await readOne(9);
    }
    expect(await readOne(9)).toMatchObject({ username: 'root', path: '/opt/new/thing' });
  });

  test('the facts of a new process are read a second time', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(1, second);
    await readOne(1);
    clock.advance(2000);
    set(50, second, { uid: 0 });
    expect((await readOne(50))?.username).toBe('root');
    clock.advance(2000);
    set(50, second + 1, { uid: 1000 });
    expect((await readOne(50))?.username).toBe('ada');
  });

  test('a process that waits for a CPU is running although it has not run', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(9, second, { state: 'R' });
    expect((await readOne(9))?.status).toBe('running');
    clock.advance(2000);
    set(9, second, { state: 'S' });
    expect((await readOne(9))?.status).toBe('sleeping');
  });

  test('an ended process is removed, and its PID can be reused', async () => {
    const { set, end, read, clock } = machine({ clock: hasClock });
    set(1, second);
    set(9, second, { name: 'old' });
    set(10, second, { name: 'old' });
    await read();
    clock.advance(2000);
    end(9);
    end(10);
    set(10, 0.2 * second, { name: 'new', ticks: 20, start: 10_100 });
    expect((await read()).map(({ id, name, cpu_usage }) => [id, name, cpu_usage])).toEqual([
      [1, 'thing', 0],
      [10, 'new', 10],
    ]);
  });

  test('a zombie retains its facts', async () => {
    const { set, readOne, clock } = machine({ clock: hasClock });
    set(9, second);
    await readOne(9);
    for (let round = 0; round < 30; round += 1) {
      clock.advance(2000);
      set(9, second + 1, { state: 'Z', pages: 0, path: '/never' });
      expect(await readOne(9)).toMatchObject({ status: 'zombie', path: '/usr/bin/thing', memory_usage: 0 });
    }
  });

  test('a source that is closed during a read opens no further file', async () => {
    const { set, source, clock, openFiles } = machine({ clock: hasClock });
    for (let pid = 1; pid < 50; pid += 1) set(pid, second);
    clock.after(50, () => source.close?.());
    expect((await readOnce(source, clock)).payload).toEqual([]);
    expect(openFiles()).toBe(0);
  });

  test('entries are immutable, and an unchanged one is the same object', async () => {
    const { set, read, clock } = machine({ clock: hasClock });
    set(1, second);
    set(9, second);
    const before = await read();
    const copy = structuredClone(before);
    clock.advance(2000);
    set(9, 2 * second, { ticks: 100, state: 'R' });
    const after = await read();
    expect(before).toEqual(copy);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

test.each(['the history', 'a listener'])(
  'when %s is first on a tick, one reading serves the history and listeners',
  async (first) => {
    const { clock, sampler, set, read, readOne, reads, openFiles } = machine();
    const samples: (readonly BusyProcess[])[] = [];
    const sample = () => sampler.sample({ ...moment, processes: (busiest) => void samples.push(busiest) });
    set(1, second, { name: 'init', pages: 50 });
    set(300, second, { name: 'worker' });
    await sample();
    expect(samples[0]?.map(({ pid, cpu, memory }) => [pid, cpu, memory])).toEqual([
      [300, 0, 409_600],
      [1, 0, 204_800],
    ]);
    expect(openFiles()).toBeGreaterThan(0);
    await read();
    await sample();
    const [before, opened] = [reads('/proc/300/stat'), openFiles()];
    clock.advance(15_000);
    set(300, 4 * second, { name: 'worker', pages: 200 });
    let usage = first === 'a listener' ? (await readOne(300))?.cpu_usage : undefined;
    await sample();
    if (first === 'the history') {
      clock.advance(20);
      usage = (await readOne(300))?.cpu_usage;
    }
    expect(usage).toBe(20);
    expect(samples.at(-1)).toEqual([
      { pid: 300, name: 'worker', cpu: 20, memory: 819_200 },
      { pid: 1, name: 'init', cpu: 0, memory: 204_800 },
    ]);
    expect(reads('/proc/300/stat')).toBe(before + 1);
    expect(openFiles()).toBeLessThanOrEqual(opened + 1);
  },
);

test('when listeners are gone, the history no longer reads the whole table', async () => {
  const { clock, sampler, set, read, reads } = machine();
  const samples: (readonly BusyProcess[])[] = [];
  const sample = () => sampler.sample({ ...moment, processes: (busiest) => void samples.push(busiest) });
  set(300, second, { name: 'worker' });
  await read();
  const facts: number[] = [];
  for (let tick = 1; tick <= 6; tick += 1) {
    clock.advance(15_000);
    set(300, second + tick * second, { name: 'worker', ticks: tick * 150 });
    await sample();
    facts.push(reads('/proc/300/status'));
  }
  // The last request was 40 s ago at the third sample.
  expect(facts.slice(2)).toEqual(Array(4).fill(facts[1]));
  expect(samples.at(-1)).toMatchObject([{ pid: 300, name: 'worker', cpu: 10 }]);
  expect((await read())[0]).toMatchObject({ id: 300 });
});

const moment: Moment = {
  value() {},
  members() {},
  processes() {},
  event() {},
  onBattery() {},
  sinceMs: 15_000,
  busySeconds: 100,
  memoryPercent: 50,
};

test('a process whose clock does not count is read each time', async () => {
  const { set, readOne, clock } = machine();
  set(9, 0, { state: 'S' });
  await readOne(9);
  clock.advance(2000);
  set(9, 0, { state: 'D', ticks: 20 });
  expect(await readOne(9)).toMatchObject({ status: 'disk-sleep', cpu_usage: 10 });
});

test('unreadable processes are left out, with a reason', async () => {
  const { set, source, clock } = machine();
  set(1, second);
  const hidden = machine();
  hidden.set(9, second);
  const { reasons } = await readOnce(source, clock);
  expect(reasons).toEqual([]);
  const { payload, reasons: why } = await readOnce(hidden.source, hidden.clock);
  expect(payload).toHaveLength(1);
  expect(why).toEqual([{ field: '[]', mendable: true, reason: expect.stringContaining('hidepid=0') }]);
});
