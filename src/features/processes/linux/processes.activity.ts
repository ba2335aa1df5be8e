import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ProcessClock } from '../../../host/linux/proc/process-clock.ts';
import { firstNumber, type ShortFile } from '../../../host/linux/proc/short-file.ts';
import { hasPidsOfCalls } from './process-record.ts';

/** Detects whether a process has run, cheaper than reading its `stat`. One that has not run has no new state, name, program or thread. */
export interface Activity {
  /** Changes whenever the process has run. null: unknown. */
  counter(pid: number, threads: number): number | null;
  /** Whether the counters are CPU time, ns. */
  countsTime: boolean;
  /** Whether the PID is in use; null: only /proc can show that. */
  exists: ((pid: number) => boolean) | null;
  /** Releases the resources of a process that has ended. */
  forget(pid: number): void;
}

/** Uses the CPU clocks of processes if /proc has the PIDs of system calls, else /proc alone. */
export async function createActivity(
  host: Pick<LinuxHost, 'files' | 'environment' | 'processClock'>,
): Promise<Activity> {
  const clock = hasPidsOfCalls(host) ? await host.processClock() : null;
  return clock === null ? activityBySchedstat(host.files) : activityByClock(clock);
}

/** Counts all threads, in nanoseconds, and needs no descriptor. */
function activityByClock(clock: ProcessClock): Activity {
  return {
    countsTime: true,
    exists: (pid) => clock(pid) !== null,
    // Every process has used some time: 0 means that the clock does not count.
    counter: (pid) => clock(pid) || null,
    forget: () => {},
  };
}

/** The first number is the run time of the main thread, which is enough for processes with one thread. https://docs.kernel.org/scheduler/sched-stats.html */
function activityBySchedstat(files: Files): Activity {
  const buffer = new Uint8Array(96);
  const opened = new Map<number, ShortFile>();
  const open = (pid: number) => {
    const file = files.short(`/proc/${pid}/schedstat`);
    opened.set(pid, file);
    return file;
  };
  const forget = (pid: number) => {
    opened.get(pid)?.close();
    opened.delete(pid);
  };
  return {
    countsTime: false,
    exists: null,
    counter(pid, threads) {
      // Zeros: a kernel without scheduler statistics.
      if (threads === 1) return firstNumber(buffer, (opened.get(pid) ?? open(pid)).read(buffer) ?? 0) || null;
      forget(pid);
      return null;
    },
    forget,
  };
}
