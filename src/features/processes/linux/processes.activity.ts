import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ProcessClock } from '../../../host/linux/proc/process-clock.ts';
import type { ShortFile } from '../../../host/linux/proc/short-file.ts';
import { hasOurNumbers } from './process-record.ts';

export { hasOurNumbers };

/** Tells whether a process has run, for less than reading its `stat` costs: who has not run has no new state, name, program or thread. */
export interface Activity {
  /** Another number whenever the process has run. null: nothing is known, look closer. */
  counter(pid: number, threads: number): number | null;
  /** The counters are CPU time, ns. */
  countsTime: boolean;
  /** Whether there is a process of this number; null: it cannot be told without a look into /proc. */
  exists: ((pid: number) => boolean) | null;
  /** This process is gone. */
  forget(pid: number): void;
}

/** By the CPU clocks of processes, where /proc has the same numbers for them as the system calls; else by /proc alone. */
export async function createActivity({
  files,
  environment,
  processClock,
}: Pick<LinuxHost, 'files' | 'environment' | 'processClock'>): Promise<Activity> {
  const clock = hasOurNumbers(files.text('/proc/self/status'), environment.pid) ? await processClock() : null;
  return clock === null ? activityBySchedstat(files) : activityByClock(clock);
}

/** Counts all threads, in nanoseconds, and needs no descriptor. */
function activityByClock(clock: ProcessClock): Activity {
  return {
    countsTime: true,
    exists: (pid) => clock(pid) !== null,
    // No process has used no time at all: such a clock does not count.
    counter: (pid) => clock(pid) || null,
    forget: () => {},
  };
}

/** The first number is the time the main thread has run, so it speaks for processes of one thread. https://docs.kernel.org/scheduler/sched-stats.html */
function activityBySchedstat(files: Files): Activity {
  const buffer = new Uint8Array(96);
  const kept = new Map<number, ShortFile>();
  const open = (pid: number) => {
    const file = files.short(`/proc/${pid}/schedstat`);
    kept.set(pid, file);
    return file;
  };
  const forget = (pid: number) => {
    kept.get(pid)?.close();
    kept.delete(pid);
  };
  return {
    countsTime: false,
    exists: null,
    counter(pid, threads) {
      if (threads === 1) return parseFirstNumber(buffer, (kept.get(pid) ?? open(pid)).read(buffer) ?? 0);
      forget(pid);
      return null;
    },
    forget,
  };
}

/** A kernel that does not keep these numbers has zeros. */
function parseFirstNumber(bytes: Uint8Array, length: number): number | null {
  let value = 0;
  for (let at = 0; at < length; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value || null;
}
