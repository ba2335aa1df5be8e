import type { ShortFile } from '../../../host/linux/proc/short-file.ts';
import type { Process } from '../processes.schema.ts';
import type { ProcessFacts } from './processes.facts.ts';
import type { MachineNumbers } from './processes.machine.ts';
import { type ProcessStat, processStatusOf } from './processes.stat.ts';
import type { AccountName } from './users.ts';

/** A process that we know, with what its `stat` said last. Its number and its start tell it from every other one. */
export interface ProcessEntry extends Pick<ProcessStat, 'state' | 'parent' | 'flags' | 'threads' | 'residentPages'> {
  readonly pid: number;
  readonly start: number;
  readonly file: ShortFile;
  /** What tells whether it has run, as it was before `stat` was read. */
  counter: number | null;
  /** CPU time at the last look, seconds, and when that was, ms. */
  cpuSeconds: number;
  sampledAt: number;
  facts: ProcessFacts;
  user: AccountName | null;
  /** It has run since its facts were read. */
  ranSince: boolean;
  /** When to look closely even if it does not run, and how often that was done. */
  lookAt: number;
  looks: number;
  cpuUsage: number;
  /** What was last said about it. Never changed afterwards: others hold it. */
  shown: Process | null;
}

/** What is to be said about it now: the same object as long as that is the same. */
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

function memoryUsage(pages: number, { pageBytes, memoryBytes }: MachineNumbers): number | null {
  if (memoryBytes === null) return null;
  return Math.min(100, Math.round((100_000 * pages * pageBytes) / memoryBytes) / 1000);
}

function createdAt(start: number, { bootTime, ticksPerSecond }: MachineNumbers): number | null {
  return bootTime === null ? null : Math.round((bootTime + start / ticksPerSecond) * 100) / 100;
}
