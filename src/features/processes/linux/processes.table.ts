import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { mapLater } from '../../../lib/later.ts';
import { inSlices } from '../../../lib/slices.ts';
import type { Process } from '../processes.schema.ts';
import type { Activity } from './processes.activity.ts';
import { type ProcessEntry, show } from './processes.entry.ts';
import { createInspector } from './processes.inspect.ts';
import type { MachineNumbers } from './processes.machine.ts';
import { createArrivals } from './processes.new.ts';
import { createUserNames } from './users.ts';

export type Table = ReturnType<typeof createTable>;

export interface ProcessList {
  /** Ordered by PID. */
  processes: Process[];
  /** Processes with a null field. */
  incomplete: readonly ProcessEntry[];
}

/** All processes, with their state between reads. */
export function createTable(
  host: Pick<LinuxHost, 'files' | 'clock' | 'environment' | 'run'>,
  activity: Activity,
  machine: MachineNumbers,
) {
  const { files, clock } = host;
  const users = createUserNames(host);
  const arrivals = createArrivals(files, clock.monotonic, activity.exists);
  const { open, update, forget } = createInspector(host, activity, machine, users);
  const known = new Map<number, ProcessEntry>();
  let order: readonly ProcessEntry[] = [];
  let readAt: number | null = null;
  let closed = false;
  let reading: Promise<ProcessList> | null = null;
  let last: ProcessList | null = null;

  function* readAll(arrived: number[]): Generator<void, ProcessList> {
    if (closed) return nothing;
    const alive: ProcessEntry[] = [];
    const candidates = [...arrived];
    for (const piece of piecesOf(order, knownAtOnce)) {
      const now = clock.monotonic();
      for (const entry of piece) {
        if (update(entry, now)) {
          alive.push(entry);
          continue;
        }
        forget(entry);
        known.delete(entry.pid);
        // Its PID may be reused.
        if (activity.exists?.(entry.pid) ?? true) candidates.push(entry.pid);
      }
      yield;
      if (closed) return nothing;
    }
    for (const piece of piecesOf(candidates, newAtOnce)) {
      const now = clock.monotonic();
      for (const pid of piece) {
        const opened = known.has(pid) ? 'gone' : open(pid, now, readAt);
        if (opened === 'hidden') arrivals.refuse(pid);
        if (typeof opened === 'string') continue;
        known.set(pid, opened);
        alive.push(opened);
      }
      yield;
      if (closed) return nothing;
    }
    order = isInOrder(alive) ? alive : alive.toSorted((a, b) => a.pid - b.pid);
    const isFirst = readAt === null;
    readAt = clock.monotonic();
    users.refresh();
    const list = yield* describe(order);
    if (!isFirst) last = list;
    return list;
  }

  function* describe(entries: readonly ProcessEntry[]): Generator<void, ProcessList> {
    const processes: Process[] = [];
    const incomplete: ProcessEntry[] = [];
    for (const piece of piecesOf(entries, knownAtOnce)) {
      for (const entry of piece) {
        const shown = show(entry, machine);
        processes.push(shown);
        if (shown.path === null || shown.working_directory === null || shown.username === null) incomplete.push(entry);
      }
      yield;
    }
    return { processes, incomplete };
  }

  return {
    /** Reads every process, synchronously if that is quick. Concurrent callers share one read. */
    read(): ProcessList | Promise<ProcessList> {
      if (closed) return nothing;
      if (reading !== null) return reading;
      machine.refresh();
      const read = mapLater(arrivals.find(known), (pids) => inSlices(clock, readAll(pids)));
      if (!(read instanceof Promise)) return read;
      reading = read.finally(() => {
        reading = null;
      });
      return reading;
    },
    /** On the monotonic clock; null: never. */
    readAt: () => readAt,
    /** Of the last read. */
    entries: () => order,
    /** The result of the last read that had one before; null: none yet. */
    last: () => last,
    isThere: arrivals.isThere,
    hidesSome: arrivals.hidesSome,
    close() {
      closed = true;
      for (const entry of known.values()) forget(entry);
      known.clear();
      order = [];
      arrivals.close();
    },
  };
}

const nothing: ProcessList = { processes: [], incomplete: [] };

/** Reading the clock costs as much as checking one process; a new process costs more. */
const knownAtOnce = 32;
const newAtOnce = 8;

function* piecesOf<T>(items: readonly T[], length: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += length) yield items.slice(at, at + length);
}

function isInOrder(entries: readonly ProcessEntry[]): boolean {
  return entries.every(({ pid }, index) => pid > (entries[index - 1]?.pid ?? 0));
}
