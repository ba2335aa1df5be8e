import { expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { type MachineFiles, machineFiles } from '../../../../test/harness/machine-files.ts';
import { perform } from '../../../../test/harness/perform.ts';
import type { Scope } from '../../../access/scopes.ts';
import { setPart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { processDetails } from '../processes.actions.ts';
import { busiestProcesses } from '../processes.busiest.ts';
import type { BusiestProcesses, ProcessDetails } from '../processes.schema.ts';
import { parseCommandLine, readCommandLine } from './command-line.ts';
import { processCalls } from './process-calls.part.ts';
import { diskRatesLinux } from './processes.busiest.ts';

const stat = (id: number, name: string, { flags = 4_194_560, state = 'S', ticks = 100 } = {}) =>
  `${id} (${name}) ${state} 1 1 1 0 -1 ${flags} 0 0 0 0 ${ticks} 0 0 0 25 5 3 0 1000 1000 2560 0 0\n`;
const io = (read: number, written: number) => `rchar: 1\nread_bytes: ${read}\nwrite_bytes: ${written}\n`;
const drm = (busy: number) => `drm-client-id:\t7\ndrm-pdev:\t0000:03:00.0\ndrm-engine-render:\t${busy} ns\n`;

const machine = () =>
  machineFiles({
    'proc/self/status': 'NSpid:\t4242\n',
    'proc/stat': 'btime 1700000000\n',
    'proc/meminfo': 'MemTotal:        1024000 kB\n',
    'etc/passwd': 'ada:x:1000:1000::/home/ada:/bin/sh\n',
    'proc/7/stat': stat(7, 'mpv'),
    'proc/7/status': 'Uid:\t1000\t1000\t1000\t1000\n',
    'proc/7/cmdline': '/usr/bin/mpv\0--title\0Slow waves\0',
    'proc/7/cgroup': '0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-mpv.scope\n',
    'proc/7/io': io(1000, 2000),
    'proc/7/exe': '-> /usr/bin/mpv',
    'proc/7/cwd': '-> /home/ada',
    'proc/7/fd/0': '-> /dev/null',
    'proc/7/fd/5': '-> /dev/dri/renderD128',
    'proc/7/fdinfo/5': drm(0),
    'proc/8/stat': stat(8, 'kworker/0:1', { flags: 0x0020_8040, state: 'I' }),
    'proc/8/status': 'Uid:\t0\t0\t0\t0\n',
    'proc/8/cmdline': '',
  });

interface Given {
  files?: MachineFiles;
  scopes?: Scope[];
  /** Called between the two samples. */
  meanwhile?(): void;
  payload?: unknown;
}

function contextOf({ files = machine(), scopes, meanwhile = () => {}, payload }: Given = {}) {
  const base = fakeClock();
  const clock = {
    ...base,
    // Pauses between two samples pass, deadlines do not.
    after(ms: number, callback: () => void) {
      if (ms === 1000) return base.after(ms, callback);
      base.advance(ms);
      meanwhile();
      queueMicrotask(callback);
      return () => {};
    },
  };
  const host = fakeHost({
    files,
    clock,
    processClock: async () => null,
  });
  setPart(host, processCalls, { ...processCalls.absent, ioPriority: () => (2 << 13) | 6 });
  const { context } = fakeActionContext(host, { read: async () => ({ payload }) as never });
  return scopes === undefined ? context : { ...context, caller: { ...context.caller, scopes: new Set(scopes) } };
}

const read = async (input: object, given: Given = {}) =>
  (await perform(processDetails, input, contextOf(given))) as ProcessDetails;

test('a query returns all fields, sampled over a quarter of a second', async () => {
  const files = machine();
  const found = await read(
    { id: '7', start_time: '1000' },
    {
      files,
      meanwhile() {
        files.write('proc/7/stat', stat(7, 'mpv', { ticks: 110 }));
        files.write('proc/7/io', io(1000, 2000 + 1024));
        files.write('proc/7/fdinfo/5', drm(0.05e9));
      },
    },
  );
  expect(found).toEqual({
    id: 7,
    start_time: 1000,
    name: 'mpv',
    parent_id: 1,
    status: 'sleeping',
    username: 'ada',
    cpu_usage: 40,
    memory_usage: 1,
    created: 1_700_000_010,
    path: '/usr/bin/mpv',
    working_directory: '/home/ada',
    nice: 5,
    io_priority: { class: 'best_effort', level: 6 },
    threads: 3,
    open_files: 2,
    cgroup: '/user.slice/user-1000.slice/user@1000.service/app.slice/app-mpv.scope',
    unit: 'user@1000.service',
    user_unit: 'app-mpv.scope',
    container: null,
    io: { read_bytes: 1000, written_bytes: 3024, read_per_second: 0, written_per_second: 4096 },
    gpus: [{ id: '0000:03:00.0', usage: 20 }],
    command_line: ['/usr/bin/mpv', '--title', 'Slow waves'],
    measured_ms: 250,
    reasons: [{ field: 'container', reason: 'Its control group is not that of a container' }],
  });
});

test('a token with read access gets everything except the command line, with the reason', async () => {
  const found = await read({ id: 7 }, { scopes: ['read'] });
  expect(found).toMatchObject({ open_files: 2, command_line: null });
  expect(JSON.stringify(found)).not.toContain('Slow waves');
  expect(found.reasons).toContainEqual({
    field: 'command_line',
    reason: 'The token "main" lacks the scope "command" or "admin"',
  });
  for (const scope of ['command', 'admin'] as const)
    expect((await read({ id: 7 }, { scopes: [scope] })).command_line).toHaveLength(3);
  expect(processDetails.scopes).toEqual(['read', 'command', 'admin']);
});

test('a kernel thread has a reason for every null', async () => {
  const found = await read({ id: 8 });
  expect(found).toMatchObject({ command_line: null, path: null, io: null });
  const missing = Object.entries(found).flatMap(([field, value]) => (value === null ? [field] : []));
  const explained = found.reasons.map(({ field }) => field);
  expect(missing.filter((field) => !explained.includes(field))).toEqual([]);
});

test('a missing process, a reused PID and an invalid PID are refused with an explanation', async () => {
  await expect(read({ id: 9 })).rejects.toThrow('There is no process 9');
  await expect(read({ id: 7, start_time: 999 })).rejects.toThrow('PID 7 belongs to another process now');
  const files = machine();
  const replaced = read({ id: 7 }, { files, meanwhile: () => files.write('proc/7/stat', '') });
  await expect(replaced).rejects.toThrow('There is no process 7; it may have ended');
  for (const wrong of ['../../etc', 0, -1, 1.5, 2 ** 31, '1.5', '', [7], true, {}])
    await expect(read({ id: wrong })).rejects.toThrow(/^processes\.get: id /);
});

test('a GPU without kernel statistics has a reason', async () => {
  const files = machine();
  files.remove('proc/7/fd/5');
  files.write('proc/7/fd/5', '-> /dev/nvidia0');
  const found = await read({ id: 7 }, { files });
  expect(found.gpus).toBeNull();
  expect(found.reasons.map(({ field }) => field)).toContain('gpus');
});

test('the busiest by CPU, memory and disk, without idle ones', async () => {
  const files = machineFiles({ 'proc/2/io': io(0, 0), 'proc/3/io': io(0, 0), 'proc/4/io': io(0, 0) });
  const payload = Array.from({ length: 8 }, (_, at) => ({
    id: at + 1,
    start_time: 100 + at,
    name: `p${at + 1}`,
    cpu_usage: at === 0 ? 0 : at,
    memory_usage: at === 7 ? null : 10 - at,
  }));
  const meanwhile = () => {
    files.write('proc/3/io', io(0, 5000));
    files.write('proc/4/io', io(9000, 0));
  };
  const found = (await perform(busiestProcesses, {}, contextOf({ files, payload, meanwhile }))) as BusiestProcesses;
  expect(found.cpu.map(({ id }) => id)).toEqual([8, 7, 6, 5, 4]);
  expect(found.cpu[0]).toEqual({ id: 8, start_time: 107, name: 'p8', cpu_usage: 7 });
  expect(found.memory.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(found.disk).toEqual([
    { id: 4, start_time: 103, name: 'p4', read_per_second: 18_000, written_per_second: 0 },
    { id: 3, start_time: 102, name: 'p3', read_per_second: 0, written_per_second: 10_000 },
  ]);
  expect(found.network).toBeNull();
  expect(found.reasons.map(({ field }) => field)).toEqual(['disk', 'network']);
  expect(found.reasons[0]?.reason).toStartWith('The disk I/O of 5 processes of other users is hidden');
  const unseen = await perform(busiestProcesses, {}, contextOf({ files: machineFiles({}), payload }));
  expect(unseen).toMatchObject({ disk: null, reasons: [{ field: 'disk' }, { field: 'network' }] });
});

test('a process whose lock is held does not hold up the service: disk I/O has a reason', async () => {
  const clock = fakeClock();
  const textLater = () => new Promise<null>(() => {});
  const host = { files: { ...machine(), textLater }, clock, environment: { uid: 0 } } as unknown as LinuxHost;
  let isDone = false;
  const reading = diskRatesLinux(host)([2, 3]).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(500);
  }
  expect(await reading).toMatchObject({ rates: null, reason: expect.any(String) });
});

test('concurrent requests for the busiest share one sample', async () => {
  let reads = 0;
  const context = contextOf({ files: machineFiles({ 'proc/2/io': io(0, 0) }) });
  const read = async () => {
    reads += 1;
    return { payload: [{ id: 2, start_time: 1, name: 'p', cpu_usage: 1, memory_usage: 1 }] } as never;
  };
  const request = () => perform(busiestProcesses, {}, { ...context, read });
  const answers = await Promise.all([request(), request(), request()]);
  expect([reads, answers.length]).toEqual([1, 3]);
  await request();
  expect(reads).toBe(2);
});

test.each([
  ['', null],
  ['\0\0', null],
  ['sshd: ada [priv]\0\0\0   ', ['sshd: ada [priv]']],
  ['sh\0-c\0\0x\0', ['sh', '-c', '', 'x']],
])('%j has the arguments %j', (text, expected) => {
  expect(parseCommandLine(text)).toEqual(expected);
});

test('a token has four queries in progress at most, and another token is still served', async () => {
  const context = contextOf();
  const query = (tokenId: string) =>
    perform(processDetails, { id: 7 }, { ...context, caller: { ...context.caller, tokenId } });
  const outcomes = await Promise.allSettled([...Array.from({ length: 5 }, () => query('one')), query('two')]);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'fulfilled']);
  expect(outcomes[4]).toMatchObject({ reason: { code: 'rate_limited' } });
});

test('a title of many blanks is parsed in linear time', () => {
  const title = `${' '.repeat(1_000_000)}x`;
  expect(parseCommandLine(`${title}\0`)).toEqual([title]);
});

test('a command line whose read hangs has a reason, and no second one is read meanwhile', async () => {
  const clock = fakeClock();
  const reads: string[] = [];
  const textLater = (path: string) => {
    reads.push(path);
    return new Promise<null>(() => {});
  };
  const host = { files: { ...machine(), textLater }, clock };
  const asked = Array.from({ length: 30 }, (_, at) => readCommandLine(host, at < 25 ? 7 : 8));
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  expect(new Set(await Promise.all(asked.slice(0, 20)))).toEqual(new Set(['unanswered']));
  // No more of them wait.
  expect(await Promise.all(asked.slice(20))).toEqual(Array(10).fill(null));
  expect(reads).toEqual(['/proc/7/cmdline']);
});
