import type { ShortFile } from '../../../host/linux/proc/short-file.ts';
import type { Process } from '../processes.schema.ts';
import type { ProcessFacts } from './processes.facts.ts';
import type { MachineNumbers } from './processes.machine.ts';
import { type ProcessStat, processStatusOf } from './processes.stat.ts';
import type { AccountName } from './users.ts';

/** A known process with the values of its last `stat`. PID and start time identify it. */
export interface ProcessEntry extends Pick<ProcessStat, 'state' | 'parent' | 'flags' | 'threads' | 'residentPages'> {
  readonly pid: number;
  readonly start: number;
  readonly file: ShortFile;
  /** Activity counter, read before `stat`. */
  counter: number | null;
  /** CPU time at the last sample, seconds, and the time of that, ms. */
  cpuSeconds: number;
  sampledAt: number;
  facts: ProcessFacts;
  user: AccountName | null;
  /** Whether it has run since its facts were read. */
  ranSince: boolean;
  /** When `stat` is read although it does not run, and how often that was done. */
  dueAt: number;
  timesDue: number;
  cpuUsage: number;
  /** CPU time at the last sample of the history; null: it has none yet. */
  recordedSeconds: number | null;
  /** Its last payload entry. Immutable: others hold a reference. */
  shown: Process | null;
}

/** Its payload entry; the same object while nothing changes. */
export function show(entry: ProcessEntry, machine: MachineNumbers): Process {
  const { shown, facts } = entry;
  const memory = memoryUsage(entry.residentPages, machine);
  const created = createdAt(entry.start, machine);
  const status = processStatusOf(entry);
  const username = entry.user?.name ?? null;
  if (
    shown !== null &&
    shown.cpu_usage === entry.cpuUsage &&
    shown.memory_usage === memory &&
    shown.status === status &&
    shown.parent_id === entry.parent &&
    shown.name === facts.name.text &&
    shown.path === facts.path &&
    shown.working_directory === facts.workingDirectory &&
    shown.username === username &&
    shown.created === created
  ) {
    return shown;
  }
  entry.shown = {
    id: entry.pid,
    parent_id: entry.parent,
    name: facts.name.text,
    cpu_usage: entry.cpuUsage,
    memory_usage: memory,
    created,
    start_time: entry.start,
    path: facts.path,
    status,
    username,
    working_directory: facts.workingDirectory,
  };
  return entry.shown;
}

/** Percent of one core. */
export function cpuUsage(seconds: number, overMs: number): number {
  return overMs <= 0 ? 0 : Math.max(0, Math.round((1_000_000 * seconds) / overMs) / 10);
}

export function memoryUsage(pages: number, { pageBytes, memoryBytes }: MachineNumbers): number | null {
  if (memoryBytes === null) return null;
  return Math.min(100, Math.round((100_000 * pages * pageBytes) / memoryBytes) / 1000);
}

export function createdAt(start: number, { bootTime, ticksPerSecond }: MachineNumbers): number | null {
  return bootTime === null ? null : Math.round((bootTime + start / ticksPerSecond) * 100) / 100;
}
