import type { BusyProcess, HistorySampler } from '../../../core/readings/history.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseKernelUnits } from '../../../host/linux/proc/auxv.ts';
import type { ShortFile } from '../../../host/linux/proc/short-file.ts';
import { mapLater } from '../../../lib/later.ts';
import type { ProcessEntry } from './processes.entry.ts';
import { toText } from './processes.names.ts';
import { emptyStat, parseProcessStat } from './processes.stat.ts';
import { tableInUse, tableUnusedMs } from './processes.table-in-use.ts';

const busiestCount = 5;
/** CPU seconds per second of all cores together, below which the machine is idle. */
const quiet = 0.05;
/** On an idle machine processes are read again when the used memory has changed by this percentage, and at least every 5 minutes. */
const movedPercent = 0.5;
const readAtLeastEveryMs = 5 * 60_000;
const sameTickMs = 1000;

interface Known {
  file: ShortFile;
  /** The last content. It is unchanged if the process has not run; comparing takes a tenth of the time of parsing. */
  line: Buffer;
  ticks: number;
  start: number;
  process: BusyProcess;
}

/**
 * The busiest processes: from the table of the source while that is in use, so that one reading serves listeners and the history; otherwise from
 * their `stat` alone, with descriptors left open. On an idle machine with steady memory rare reads are enough:
 * a process that ran meanwhile used less than a twentieth of a core. Native calls would cost less time, but 3 MiB of memory.
 */
export function processesHistoryLinux({ files, clock }: LinuxHost): HistorySampler {
  const { pageBytes, ticksPerSecond } = parseKernelUnits(files.bytes('/proc/self/auxv'));
  const known = new Map<number, Known>();
  const bytes = Buffer.alloc(1024);
  const stat = emptyStat();
  let readAt = Number.NEGATIVE_INFINITY;
  let memoryThen: number | null = null;
  let largest: BusyProcess[] = [];
  const inUse = tableInUse(files);

  /** `overMs`: since the last reading. */
  const readAll = (overMs: number): BusyProcess[] => {
    const first = known.size === 0;
    const busy = createTop<BusyProcess>(({ cpu }) => cpu);
    const large = createTop<BusyProcess>(({ memory }) => memory);
    const present = new Set<number>();
    for (const pid of pidsOf(files)) {
      const entry = known.get(pid) ?? newcomer(files, pid);
      const length = entry.file.read(bytes);
      if (length !== null && isSameLine(entry.line, bytes, length)) {
        present.add(pid);
        large.add(entry.process);
        continue;
      }
      if (length === null || !parseProcessStat(bytes, length, stat)) {
        // It has ended, and its PID may be reused.
        entry.file.close();
        known.delete(pid);
        continue;
      }
      const isSame = entry.start === stat.start;
      // A process that started since the last read has used all of its time since then.
      const before = isSame ? entry.ticks : first ? stat.ticks : 0;
      const cpu = ((stat.ticks - before) * 100_000) / ticksPerSecond / overMs;
      entry.ticks = stat.ticks;
      entry.start = stat.start;
      known.set(pid, entry);
      present.add(pid);
      entry.line = Buffer.from(bytes.subarray(0, length));
      const memory = stat.residentPages * pageBytes;
      const process = { pid, cpu, memory, name: nameIn(bytes, stat.nameFrom, stat.nameTo) };
      entry.process = { ...process, cpu: 0 };
      if (cpu > 0) busy.add(process);
      large.add(process);
    }
    forget((pid) => !present.has(pid));
    largest = large.all();
    return [...new Set([...busy.all(), ...largest])];
  };

  const fromTable = (entries: readonly ProcessEntry[], overMs: number): BusyProcess[] => {
    const busy = createTop<ProcessEntry>((entry) => usageOf(entry, overMs));
    const large = createTop<ProcessEntry>(({ residentPages }) => residentPages);
    for (const entry of entries) {
      if (usageOf(entry, overMs) > 0) busy.add(entry);
      large.add(entry);
    }
    const chosen = [...new Set([...busy.all(), ...large.all()])].map((entry) => ({
      pid: entry.pid,
      name: toText(entry.facts.comm),
      cpu: usageOf(entry, overMs),
      memory: entry.residentPages * pageBytes,
    }));
    for (const entry of entries) entry.recordedSeconds = entry.cpuSeconds;
    largest = chosen.toSorted((one, other) => other.memory - one.memory).slice(0, busiestCount);
    return chosen;
  };

  const forget = (isGone: (pid: number) => boolean) => {
    for (const [pid, { file }] of known) {
      if (!isGone(pid)) continue;
      file.close();
      known.delete(pid);
    }
  };

  return {
    sample(moment) {
      const { sinceMs, busySeconds, memoryPercent } = moment;
      if (clock.monotonic() - inUse.askedAt > tableUnusedMs) inUse.release();
      const isQuiet = sinceMs !== null && busySeconds !== null && (busySeconds * 1000) / sinceMs < quiet;
      const isSteady =
        memoryPercent !== null && memoryThen !== null && Math.abs(memoryPercent - memoryThen) < movedPercent;
      if (isQuiet && isSteady && clock.monotonic() - readAt < readAtLeastEveryMs - 1000)
        return moment.processes(largest.map((process) => ({ ...process, cpu: 0 })));
      const overMs = clock.monotonic() - readAt;
      readAt = clock.monotonic();
      memoryThen = memoryPercent;
      const { table } = inUse;
      if (table === null) return moment.processes(readAll(overMs));
      forget(() => true);
      const isRead = readAt - (table.readAt() ?? 0) < sameTickMs;
      if (!isRead) inUse.isSampled = true;
      return mapLater(isRead ? table.last() : table.read(), () => moment.processes(fromTable(table.entries(), overMs)));
    },
    close: () => forget(() => true),
  };
}

/** Percent of one core; of a process without an earlier sample, as its payload entry says. */
const usageOf = ({ cpuSeconds, recordedSeconds, cpuUsage }: ProcessEntry, overMs: number) =>
  recordedSeconds === null ? cpuUsage : ((cpuSeconds - recordedSeconds) * 100_000) / overMs;

/** The items with the largest numbers. */
function createTop<T>(numberOf: (item: T) => number) {
  const items: T[] = [];
  const least = () => {
    const last = items[busiestCount - 1];
    return last === undefined ? Number.NEGATIVE_INFINITY : numberOf(last);
  };
  return {
    add(item: T) {
      if (numberOf(item) <= least()) return;
      const at = items.findIndex((other) => numberOf(other) < numberOf(item));
      items.splice(at === -1 ? items.length : at, 0, item);
      items.length = Math.min(items.length, busiestCount);
    },
    all: () => [...items],
  };
}

const newcomer = (files: Files, pid: number): Known => ({
  file: files.short(`/proc/${pid}/stat`),
  line: Buffer.alloc(0),
  ticks: 0,
  start: -1,
  process: { pid, name: '', cpu: 0, memory: 0 },
});

const isSameLine = (line: Buffer, bytes: Buffer, length: number) =>
  line.length === length && bytes.compare(line, 0, length, 0, length) === 0;

function pidsOf(files: Files): number[] {
  return files.entries('/proc').flatMap((name) => {
    const first = name.charCodeAt(0);
    return first >= 0x31 && first <= 0x39 ? [Number(name)] : [];
  });
}

const decoder = new TextDecoder();
const nameIn = (bytes: Uint8Array, from: number, to: number) => decoder.decode(bytes.subarray(from, to));
