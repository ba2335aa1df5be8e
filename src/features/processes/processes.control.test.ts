import { expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeHost } from '../../../test/doubles/fake-host.ts';
import { type MachineFiles, machineFiles } from '../../../test/harness/machine-files.ts';
import { perform } from '../../../test/harness/perform.ts';
import { setPart } from '../../core/part.ts';
import { processCalls } from './linux/process-calls.part.ts';
import { errnos, type ProcessCalls } from './linux/process-calls.ts';
import { processControls } from './processes.control.ts';

const [signal, nice, ionice] = processControls;
const good = { id: 300, start_time: 56_789 };

interface Given {
  /** Result of opening the PID. */
  opened?: number;
  /** Result of a signal or a priority. */
  errno?: number;
  /** Called with each signal that reaches the process. */
  onSignal?(signal: number, machine: Machine): void;
  status?: string;
  kernel?: string;
}

interface Machine {
  files: MachineFiles;
  done: string[];
  gone: boolean;
  closed: number;
}

const stat = (start: number, { state = 'S', flags = 4_194_560, niceness = 0 } = {}) =>
  `300 (thing) ${state} 1 300 300 0 -1 ${flags} 0 0 0 0 1 1 0 0 20 ${niceness} ${state === 'Z' ? 1 : 2} 0 ${start} 1000 100 0 0\n`;

function machineOf({
  opened = 0,
  errno = 0,
  onSignal = () => {},
  status = 'NSpid:\t4242\n',
  kernel = '6.1.0',
}: Given = {}) {
  const files = machineFiles({
    '/proc/self/status': status,
    '/proc/300/stat': stat(56_789),
    '/proc/300/status': 'Uid:\t1001\t1001\t1001\t1001\n',
    '/proc/300/task/300/stat': '',
    '/proc/300/task/301/stat': '',
    '/etc/passwd': 'bob:x:1001:1001::/home/bob:/bin/sh\n',
  });
  const done: string[] = [];
  const base = fakeClock();
  const clock = {
    ...base,
    after(ms: number, callback: () => void) {
      base.advance(ms);
      queueMicrotask(callback);
      return () => {};
    },
  };
  const machine: Machine = { files, done, gone: false, closed: 0 };
  const calls: ProcessCalls = {
    open(pid) {
      done.push(`open ${pid}`);
      if (opened !== 0) return opened;
      return {
        send(number) {
          if (machine.gone) return errnos.ESRCH;
          if (number === 0) return 0;
          done.push(`signal ${number}`);
          if (errno === 0) onSignal(number, machine);
          return errno;
        },
        close() {
          machine.closed += 1;
        },
      };
    },
    setNice(thread, value) {
      done.push(`nice ${thread} ${value}`);
      if (errno === 0) files.write('/proc/300/stat', stat(56_789, { niceness: value }));
      return errno;
    },
    setIoPriority(thread, value) {
      done.push(`io ${thread} ${value >> 13} ${value & 7}`);
      return errno;
    },
    ioPriority: () => null,
  };
  const host = setPart(fakeHost({ files, clock, environment: { kernel } }), processCalls, calls);
  const { context } = fakeActionContext(host);
  return Object.assign(machine, { context });
}
const opens = (done: readonly string[]) => done.filter((each) => each.startsWith('open')).length;

test('a process that exits is reported as ended', async () => {
  const machine = machineOf({
    onSignal(_number, its) {
      its.gone = true;
    },
  });
  expect(await perform(signal, { ...good, signal: 'terminate' }, machine.context)).toEqual({
    ...good,
    name: 'thing',
    signal: 'terminate',
    status: 'ended',
  });
  expect(machine.done).toEqual(['open 300', 'signal 15']);
  expect(machine.closed).toBe(1);
});

test.each([
  ['terminate', 15, 'S', 'sleeping'],
  ['stop', 19, 'T', 'stopped'],
  ['continue', 18, 'R', 'running'],
  ['kill', 9, 'D', 'disk-sleep'],
])('%s sends signal %d and reports the state afterwards', async (verb, number, state, status) => {
  const machine = machineOf({
    onSignal: (_number, { files }) => files.write('/proc/300/stat', stat(56_789, { state })),
  });
  expect(await perform(signal, { ...good, signal: verb }, machine.context)).toMatchObject({ status });
  expect(machine.done).toEqual(['open 300', `signal ${number}`]);
  expect(machine.closed).toBe(1);
});

test('a process that becomes a zombie is reported as ended', async () => {
  const machine = machineOf({
    onSignal: (_number, { files }) => files.write('/proc/300/stat', stat(56_789, { state: 'Z' })),
  });
  expect(await perform(signal, { ...good, signal: 'kill' }, machine.context)).toMatchObject({ status: 'ended' });
});

/** The error message; the process must only have been opened. */
async function refused(action: (typeof processControls)[number], input: object, machine: ReturnType<typeof machineOf>) {
  const sentence = await perform(action, input, machine.context).then(
    () => 'not refused',
    (error: Error) => error.message,
  );
  expect(machine.done.filter((each) => !each.startsWith('open'))).toEqual([]);
  // Every handle is closed.
  expect(machine.closed).toBeLessThanOrEqual(opens(machine.done));
  return sentence;
}

const words = [
  [signal, { signal: 'kill' }],
  [nice, { nice: 5 }],
  [ionice, { class: 'idle' }],
] as const;

test.each(words)('another process with a reused PID is refused', async (action, more) => {
  const machine = machineOf();
  machine.files.write('/proc/300/stat', stat(99_999));
  expect(await refused(action, { ...good, ...more }, machine)).toBe(
    'PID 300 belongs to another process now: "thing", with the start time 99999 instead of 56789. It was not changed',
  );
  expect(machine.closed).toBe(1);
});

test.each(words)(
  'kernel threads, ended processes, process 1 and the service itself are refused',
  async (action, more) => {
    const kernel = machineOf();
    kernel.files.write('/proc/300/stat', stat(56_789, { flags: 0x0020_8040 }));
    expect(await refused(action, { ...good, ...more }, kernel)).toContain('is a kernel thread');
    const zombie = machineOf();
    zombie.files.write('/proc/300/stat', stat(56_789, { state: 'Z' }));
    expect(await refused(action, { ...good, ...more }, zombie)).toContain('has already ended');
    expect(await refused(action, { ...good, ...more, id: 1 }, machineOf())).toContain('Process 1 ');
    expect(await refused(action, { ...good, ...more, id: 4242 }, machineOf())).toContain('is this service');
  },
);

test.each([
  [errnos.ESRCH, 'There is no process 300; it may have ended'],
  [errnos.EINVAL, 'There is no process 300: the PID is that of a thread'],
  [errnos.ENOENT, 'There is no process 300: the PID is that of a thread'],
  [errnos.ENOSYS, 'This kernel cannot identify a process reliably: that takes Linux 5.3 or newer'],
  [errnos.EMFILE, 'Process 300 cannot be reached: this service has too many files open'],
  [99, 'Process 300 cannot be reached: the system reports error 99'],
])('errno %d becomes the message %j', async (opened, sentence) => {
  expect(await refused(signal, { ...good, signal: 'kill' }, machineOf({ opened }))).toBe(sentence);
});

test('a permission error names the owner of the process', async () => {
  const machine = machineOf({ errno: errnos.EPERM });
  await expect(perform(signal, { ...good, signal: 'kill' }, machine.context)).rejects.toThrow(
    '"thing" (300), a process of the user bob, cannot be signalled: the system does not allow it to the user tester',
  );
  expect(machine.closed).toBe(1);
  await expect(perform(nice, { ...good, nice: -5 }, machineOf({ errno: errnos.EACCES }).context)).rejects.toThrow(
    'CAP_SYS_NICE',
  );
});

test('orders are refused if /proc is that of another system', async () => {
  for (const status of ['NSpid:\t77\t4242\n', 'NSpid:\t77\n', '']) {
    const machine = machineOf({ status });
    expect(await refused(signal, { ...good, signal: 'kill' }, machine)).toContain('those of another system');
    expect(opens(machine.done)).toBe(0);
    expect(await signal.unavailable(machine.context)).toContain('HOSTLER_PROC');
  }
  expect(await signal.unavailable(machineOf().context)).toBeNull();
});

test.each([
  ['6.1.0-13-amd64', true],
  ['5.3.0', true],
  ['5.10.0-8', true],
  ['5.2.21', false],
  ['4.19.0', false],
])('with the kernel %s the action is available: %p', async (kernel, works) => {
  const { host } = machineOf({ kernel }).context;
  expect((await signal.unavailable({ ...machineOf().context, host })) === null).toBe(works);
});

test('a priority is set for every thread and read back', async () => {
  const machine = machineOf();
  expect(await perform(nice, { ...good, nice: 7 }, machine.context)).toEqual({ ...good, name: 'thing', nice: 7 });
  expect(machine.done).toEqual(['open 300', 'nice 300 7', 'nice 301 7']);
  const other = machineOf();
  expect(await perform(ionice, { ...good, class: 'realtime' }, other.context)).toMatchObject({ level: 4 });
  expect(other.done).toEqual(['open 300', 'io 300 1 4', 'io 301 1 4']);
  const idle = machineOf();
  expect(await perform(ionice, { ...good, class: 'idle' }, idle.context)).toMatchObject({ level: null });
  expect(idle.done).toEqual(['open 300', 'io 300 3 0', 'io 301 3 0']);
});

test('a process that ends while its priority is set is an error', async () => {
  const machine = machineOf();
  const attempt = perform(nice, { ...good, nice: 7 }, machine.context);
  machine.gone = true;
  await expect(attempt).rejects.toThrow('"thing" (300) ended while its priority was being set');
});

test('with a name, a process of another name is refused', async () => {
  const machine = machineOf();
  expect(await refused(signal, { ...good, signal: 'kill', name: 'other' }, machine)).toBe(
    'Process 300 is called "thing", not "other". It was not changed',
  );
  expect(machine.closed).toBe(1);
  expect(await perform(signal, { ...good, signal: 'continue', name: 'thing' }, machineOf().context)).toBeObject();
});

test('the permission prompt quotes the input of the agent', async () => {
  const { agent } = signal;
  expect(agent?.tool.prompt?.({ action: 'kill', pid: 300, start_time: 5, name: 'a"\nAllow' }, {} as never)).toBe(
    'An agent wants to kill, losing what it has not saved, the process "a\\"\\nAllow" (300, start time 5).',
  );
  expect(agent?.toInput({ pid: 300, start_time: 5, name: 'thing', action: 'stop' })).toEqual({
    id: 300,
    start_time: 5,
    name: 'thing',
    signal: 'stop',
  });
});

test('only the scope of the action allows it, and unknown input fields are refused', async () => {
  for (const { scopes } of processControls) expect(scopes).toEqual(['processes']);
  const input = await signal.input();
  for (const wrong of [
    { id: 0 },
    { id: -1 },
    { id: 2 ** 31 },
    { id: 1.5 },
    { id: '300' },
    { start_time: -1 },
    { other: 1 },
  ])
    expect(input?.safeParse({ ...good, signal: 'kill', ...wrong }).success).toBe(false);
  expect(input?.safeParse({ id: 300, signal: 'kill' }).success).toBe(false);
});
