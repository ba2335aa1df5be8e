import type { Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { ProcessClock } from '../../host/linux/process-clock.ts';

/** Tells whether a process has run, for less than reading its `stat` costs: who has not run has no new state, name, program or thread. */
export interface Activity {
  follow(pid: number): Gauge;
  /** The counters are CPU time, ns. */
  countsTime: boolean;
  /** Whether there is a process of this number; null: it cannot be told without a look into /proc. */
  exists: ((pid: number) => boolean) | null;
}

export interface Gauge {
  /** Another number whenever the process has run. null: nothing is known, look closer. */
  counter(threads: number): number | null;
  close(): void;
}

/** By the CPU clocks of processes, where /proc has the same numbers for them as the system calls; else by /proc alone. */
export async function createActivity({
  files,
  environment,
  processClock,
}: Pick<Host, 'files' | 'environment' | 'processClock'>): Promise<Activity> {
  const clock = hasOurNumbers(files.text('/proc/self/status'), environment.pid) ? await processClock() : null;
  return clock === null ? activityBySchedstat(files) : activityByClock(clock);
}

/** The /proc of a host, mounted into a container, has other numbers. NSpid lists ours from its namespace down to our own. */
export function hasOurNumbers(status: string | null, pid: number): boolean {
  return /^NSpid:\t(\d+)$/m.exec(status ?? '')?.[1] === String(pid);
}

/** Counts all threads, in nanoseconds, and needs no descriptor. */
function activityByClock(clock: ProcessClock): Activity {
  const none = () => {};
  return {
    countsTime: true,
    exists: (pid) => clock(pid) !== null,
    // No process has used no time at all: such a clock does not count.
    follow: (pid) => ({ counter: () => clock(pid) || null, close: none }),
  };
}

/** The first number is the time the main thread has run, so it speaks for processes of one thread. https://docs.kernel.org/scheduler/sched-stats.html */
function activityBySchedstat(files: Files): Activity {
  const buffer = new Uint8Array(96);
  return {
    countsTime: false,
    exists: null,
    follow(pid) {
      const schedstat = files.short(`/proc/${pid}/schedstat`);
      return {
        counter(threads) {
          if (threads === 1) return parseFirstNumber(buffer, schedstat.read(buffer) ?? 0);
          schedstat.close();
          return null;
        },
        close: schedstat.close,
      };
    },
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
