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

/** All processes, and what is remembered about them between looks. */
export interface Table {
  /** Looks at every process. At once where that takes a moment only. */
  look(): Look | Promise<Look>;
  /** On the monotonic clock; null: never. */
  lookedAt(): number | null;
  isThere(): boolean;
  hidesSome(): boolean;
  close(): void;
}

export interface Look {
  /** In the order of their numbers. */
  processes: Process[];
  /** Those of which something is null. */
  incomplete: readonly ProcessEntry[];
}

export function createTable(
  host: Pick<LinuxHost, 'files' | 'clock' | 'environment' | 'run'>,
  activity: Activity,
  machine: MachineNumbers,
): Table {
  const { files, clock } = host;
  const users = createUserNames(host);
  const arrivals = createArrivals(files, clock.monotonic, activity.exists);
  const { meet, update, forget } = createInspector(host, activity, machine, users);
  const known = new Map<number, ProcessEntry>();
  let order: readonly ProcessEntry[] = [];
  let lookedAt: number | null = null;
  let closed = false;

  function* lookAtAll(arrived: number[]): Generator<void, Look> {
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
        // Another one may have its number by now.
        if (activity.exists?.(entry.pid) ?? true) candidates.push(entry.pid);
      }
      yield;
      if (closed) return nothing;
    }
    for (const piece of piecesOf(candidates, newAtOnce)) {
      const now = clock.monotonic();
      for (const pid of piece) {
        const met = known.has(pid) ? 'gone' : meet(pid, now, lookedAt);
        if (met === 'hidden') arrivals.refuse(pid);
        if (typeof met === 'string') continue;
        known.set(pid, met);
        alive.push(met);
      }
      yield;
      if (closed) return nothing;
    }
    order = isInOrder(alive) ? alive : alive.toSorted((a, b) => a.pid - b.pid);
    lookedAt = clock.monotonic();
    users.refresh();
    return yield* describe(order);
  }

  function* describe(entries: readonly ProcessEntry[]): Generator<void, Look> {
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
    look() {
      if (closed) return nothing;
      machine.refresh();
      return mapLater(arrivals.find(known), (pids) => inSlices(clock, lookAtAll(pids)));
    },
    lookedAt: () => lookedAt,
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

const nothing: Look = { processes: [], incomplete: [] };

/** Looking at the clock for each process would cost as much as looking at the process; one that is new costs more. */
const knownAtOnce = 32;
const newAtOnce = 8;

function* piecesOf<T>(items: readonly T[], length: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += length) yield items.slice(at, at + length);
}

function isInOrder(entries: readonly ProcessEntry[]): boolean {
  return entries.every(({ pid }, index) => pid > (entries[index - 1]?.pid ?? 0));
}
