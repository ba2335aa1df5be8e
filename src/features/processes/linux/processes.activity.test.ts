import { describe, expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import type { ProcessClock } from '../../../host/linux/proc/process-clock.ts';
import { hasOwnPids } from './process-record.ts';
import { createActivity } from './processes.activity.ts';

const status = (numbers: string) => `Name:\thostler\nPid:\t4242\nNSpid:\t${numbers}\nVmRSS:\t1 kB\n`;

test.each([
  ['4242', true],
  ['4243', false],
  ['9000\t4242', false],
  ['4242\t1', false],
])('with NSpid %j the PIDs of /proc are those of system calls: %p', (numbers, expected) => {
  expect(hasOwnPids(status(numbers), 4242)).toBe(expected);
});

test('without a status, or without that line, the PIDs are those of another namespace', () => {
  expect(hasOwnPids(null, 4242)).toBe(false);
  expect(hasOwnPids('Name:\tx\nPid:\t4242\n', 4242)).toBe(false);
});

function open(contents: Record<string, string>, clock: ProcessClock | null) {
  const files = machineFiles(contents);
  return { files, opened: createActivity(fakeHost({ files, processClock: async () => clock })) };
}

describe('the activity of a process', () => {
  test('is the CPU clock of the process, whatever its threads', async () => {
    const times = new Map([
      [7, 1_500_000],
      [8, 0],
    ]);
    const { opened } = open({ '/proc/self/status': status('4242') }, (pid) => times.get(pid) ?? null);
    const activity = await opened;
    expect(activity.countsTime).toBe(true);
    expect(activity.counter(7, 12)).toBe(1_500_000);
    expect(activity.counter(8, 1)).toBeNull();
    expect(activity.counter(9, 1)).toBeNull();
    expect([7, 8, 9].map((pid) => activity.exists?.(pid))).toEqual([true, true, false]);
  });

  test('is the schedstat of the only thread if /proc has other PIDs', async () => {
    const { files, opened } = open(
      { '/proc/self/status': status('9000\t4242'), '/proc/7/schedstat': '123456789 4711 12\n' },
      () => 1,
    );
    const activity = await opened;
    expect(activity.countsTime).toBe(false);
    expect(activity.exists).toBeNull();
    expect(activity.counter(7, 1)).toBe(123_456_789);
    expect(activity.counter(7, 2)).toBeNull();
    files.write('/proc/7/schedstat', '0 0 0\n');
    expect(activity.counter(7, 1)).toBeNull();
    activity.forget(7);
    expect(activity.counter(8, 1)).toBeNull();
  });

  test('is the schedstat if the system has no such clock', async () => {
    const { opened } = open({ '/proc/self/status': status('4242') }, null);
    expect((await opened).countsTime).toBe(false);
  });
});
