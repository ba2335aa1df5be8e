import fs from 'node:fs';
import { openCpuClocks } from '../../src/host/linux/proc/process-clock.ts';

const clockOf = openCpuClocks()?.ofProcess ?? null;

/** CPU milliseconds of a process so far, to the microsecond, threads that have ended included. */
export function cpuMs(pid: number): number {
  if (clockOf === null) throw new Error('The C library was not found: these measurements need Linux');
  const nanoseconds = clockOf(pid);
  if (nanoseconds === null) throw new Error(`There is no process ${pid}`);
  return nanoseconds / 1e6;
}

export interface Resident {
  /** MiB in RAM, the pages of the program file included. */
  total: number;
  /** The part that is this process's own. */
  own: number;
}

export function resident(pid: number): Resident {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return { total: mebibytes(status, 'VmRSS'), own: mebibytes(status, 'RssAnon') };
}

/** Voluntary context switches of each thread. */
export function voluntarySwitches(pid: number): Map<string, number> {
  const threads = fs.readdirSync(`/proc/${pid}/task`);
  return new Map(
    threads.map((thread) => {
      const status = readOrEmpty(`/proc/${pid}/task/${thread}/status`);
      return [thread, Number(field(status, 'voluntary_ctxt_switches') ?? 0)];
    }),
  );
}

/** Threads that ended meanwhile are missing. */
export function switchesBetween(before: Map<string, number>, after: Map<string, number>): number {
  return [...after].reduce((sum, [thread, count]) => sum + count - (before.get(thread) ?? 0), 0);
}

export const threads = (pid: number) => fs.readdirSync(`/proc/${pid}/task`).length;

interface Descriptors {
  own: number;
  /** Held for a process of the machine: there may be one for each. */
  perProcess: number;
}

export function descriptorsOf(pid: number): Descriptors {
  const targets = fs.readdirSync(`/proc/${pid}/fd`).flatMap((each) => linkOrNothing(`/proc/${pid}/fd/${each}`));
  const owners = targets.map((target) => /^\/proc\/(\d+)\//.exec(target)?.[1]).filter((owner) => owner !== undefined);
  // Its own, such as mountinfo, are few and stay.
  const others = owners.filter((owner) => Number(owner) !== pid);
  return { own: targets.length - others.length, perProcess: others.length };
}

function linkOrNothing(file: string): string[] {
  try {
    return [fs.readlinkSync(file)];
  } catch {
    return [];
  }
}

/** The kernel's kB have 1024 bytes. */
function mebibytes(status: string, name: string): number {
  return Number.parseInt(field(status, name) ?? '', 10) / 1024;
}

function field(status: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1];
}

function readOrEmpty(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
