import { inSlices } from '../../core/slices.ts';
import type { Host } from '../../host/host.ts';
import { createUserNames } from '../../host/linux/users.ts';
import type { Activity } from './processes.activity.ts';
import { createArrivals } from './processes.arrivals.ts';
import { cpuUsage, type Entry } from './processes.entry.ts';
import { createFactsReader, type Facts } from './processes.facts.ts';
import type { MachineNumbers } from './processes.machine.ts';
import {
  emptyStat,
  isEnding,
  isKernelThread,
  parseStat,
  running,
  runsParentsProgram,
  type Stat,
} from './processes.stat.ts';

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
  incomplete: readonly Entry[];
}

/** Program, user and directory of processes that run are looked at this often, and so is the memory of those that do not, ms. */
const runningLookMs = 30_000;
const idleLookMs = 90_000;
/** Directories can be renamed under a process that does nothing. */
const factsEveryLooks = 8;
const nothing: Look = { processes: [], incomplete: [] };

export function createTable(
  host: Pick<Host, 'files' | 'clock' | 'environment' | 'run'>,
  activity: Activity,
  machine: MachineNumbers,
): Table {
  const { files, clock } = host;
  const users = createUserNames(host);
  const readFacts = createFactsReader(files);
  const arrivals = createArrivals(files, clock.monotonic, activity.exists);
  const known = new Map<number, Entry>();
  const buffer = Buffer.allocUnsafeSlow(4096);
  const stat = emptyStat();
  const pauses = createPauses(clock);
  let order: Entry[] = [];
  let lookedAt: number | null = null;
  let closed = false;

  const readStat = (file: Entry['file']) => {
    const length = file.read(buffer);
    return length !== null && parseStat(buffer, length, stat);
  };

  const secondsOf = (counter: number | null) =>
    activity.countsTime && counter !== null ? counter / 1e9 : stat.ticks / machine.ticksPerSecond;

  /** What `stat` just said. */
  const take = (entry: Entry) => {
    entry.state = stat.state;
    entry.flags = stat.flags;
    entry.threads = stat.threads;
    entry.residentPages = stat.residentPages;
  };

  /** false: it is gone. */
  const learnFacts = (entry: Entry): boolean => {
    const before = entry.user === null ? null : entry.facts;
    const facts = readFacts(entry.pid, entry.comm, entry, before);
    if (facts.path === null && !isKernelThread(entry)) {
      // Either we may not see it, or it ends just now.
      if (!readStat(entry.file)) return false;
      take(entry);
    }
    // What it was is known from before only.
    if (before !== null && isEnding(entry)) return true;
    entry.facts = facts;
    entry.user = facts.uid === null ? null : users.of(facts.uid);
    entry.ranSince = false;
    return true;
  };

  /** null: it is gone already, or hidden from us. */
  const meet = (pid: number, now: number): Entry | null => {
    const file = files.short(`/proc/${pid}/stat`);
    const counter = activity.counter(pid, 1);
    if (!readStat(file)) {
      activity.forget(pid);
      // Its directory has a status, even where hidepid=1 lets nobody in.
      if (files.modified(`/proc/${pid}`) !== null) arrivals.refuse(pid);
      return null;
    }
    const cpuSeconds = secondsOf(counter);
    const entry: Entry = {
      pid,
      start: stat.start,
      state: stat.state,
      flags: stat.flags,
      threads: stat.threads,
      residentPages: stat.residentPages,
      file,
      counter,
      cpuSeconds,
      sampledAt: now,
      comm: buffer.toString('latin1', stat.nameFrom, stat.nameTo),
      facts: unknownFacts,
      user: null,
      ranSince: false,
      // Who is new may be about to become another user or to go elsewhere; those of the first look take turns.
      lookAt: lookedAt === null ? now + spread(pid, idleLookMs) : now,
      looks: 0,
      cpuUsage: lookedAt === null ? 0 : cpuUsage(cpuSeconds, lifeSince(lookedAt, now)),
      shown: null,
    };
    const isThere = learnFacts(entry);
    // Most processes do nothing: the descriptor is kept once this one was seen to run.
    file.close();
    if (isThere) return entry;
    activity.forget(pid);
    return null;
  };

  /** It has lived since the last look, unless it was overlooked then. */
  const lifeSince = (last: number, now: number) => {
    const bornAt = machine.monotonicAt(stat.start);
    return Math.max(now - last, bornAt === null ? 0 : now - bornAt);
  };

  /** false: it is gone. */
  const update = (entry: Entry, now: number): boolean => {
    const counter = activity.counter(entry.pid, entry.threads);
    const ran = counter === null || counter !== entry.counter;
    const due = now >= entry.lookAt;
    // One that waits for a processor, or has it, may be seen doing so without having run.
    if (!ran && !due && entry.state !== running) {
      entry.cpuUsage = 0;
      entry.sampledAt = now;
      return true;
    }
    if (!readStat(entry.file) || stat.start !== entry.start) return false;
    const cpuSeconds = secondsOf(counter);
    entry.cpuUsage = cpuUsage(cpuSeconds - entry.cpuSeconds, now - entry.sampledAt);
    entry.cpuSeconds = cpuSeconds;
    entry.sampledAt = now;
    entry.counter = counter;
    const otherProgram = !isName(buffer, stat, entry.comm) || runsParentsProgram(stat) !== runsParentsProgram(entry);
    if (otherProgram) entry.comm = buffer.toString('latin1', stat.nameFrom, stat.nameTo);
    take(entry);
    entry.ranSince ||= ran;
    if (ran) entry.lookAt = Math.min(entry.lookAt, now + runningLookMs);
    return due || otherProgram ? lookClosely(entry, { now, ran, due, otherProgram }) : true;
  };

  const lookClosely = (
    entry: Entry,
    { now, ran, due, otherProgram }: { now: number; ran: boolean; due: boolean; otherProgram: boolean },
  ): boolean => {
    if (due) {
      entry.looks += 1;
      entry.lookAt = now + (ran ? runningLookMs : idleLookMs) + spread(entry.pid, runningLookMs / 2);
      if (!ran) entry.file.close();
    }
    return otherProgram || entry.ranSince || entry.looks % factsEveryLooks === 0 ? learnFacts(entry) : true;
  };

  const forget = (entry: Entry) => {
    entry.file.close();
    activity.forget(entry.pid);
    known.delete(entry.pid);
  };

  function* lookAtAll(arrived: number[]): Generator<void, Look> {
    const alive: Entry[] = [];
    const candidates = [...arrived];
    for (const entry of order) {
      if (pauses.due()) yield;
      if (closed) return nothing;
      if (update(entry, pauses.now())) alive.push(entry);
      else {
        forget(entry);
        // Another one may have its number by now.
        if (activity.exists?.(entry.pid) ?? true) candidates.push(entry.pid);
      }
    }
    for (const pid of candidates) {
      if (pauses.due()) yield;
      if (closed) return nothing;
      const entry = known.has(pid) ? null : meet(pid, pauses.now());
      if (entry === null) continue;
      known.set(pid, entry);
      alive.push(entry);
    }
    if (alive.some((entry, index) => entry.pid < (alive[index - 1]?.pid ?? 0))) alive.sort((a, b) => a.pid - b.pid);
    order = alive;
    lookedAt = clock.monotonic();
    users.refresh();
    return yield* describe(alive);
  }

  function* describe(entries: readonly Entry[]): Generator<void, Look> {
    const processes: Process[] = [];
    const incomplete: Entry[] = [];
    for (const entry of entries) {
      if (pauses.due()) yield;
      const shown = show(entry, machine);
      processes.push(shown);
      if (shown.path === null || shown.working_directory === null || shown.username === null) incomplete.push(entry);
    }
    return { processes, incomplete };
  }

  return {
    look() {
      machine.refresh();
      const arrived = arrivals.find(known);
      if (arrived instanceof Promise) return arrived.then((pids) => inSlices(clock, lookAtAll(pids)));
      return inSlices(clock, lookAtAll(arrived));
    },
    lookedAt: () => lookedAt,
    isThere: arrivals.isThere,
    hidesSome: arrivals.hidesSome,
    close() {
      closed = true;
      for (const entry of known.values()) forget(entry);
      order = [];
      arrivals.close();
    },
  };
}

const unknownFacts: Facts = { name: '', path: null, workingDirectory: null, uid: null };

function isName(bytes: Uint8Array, { nameFrom, nameTo }: Stat, comm: string): boolean {
  if (nameTo - nameFrom !== comm.length) return false;
  for (let index = 0; index < comm.length; index += 1)
    if (bytes[nameFrom + index] !== comm.charCodeAt(index)) return false;
  return true;
}

/** Looking at the clock for each process would cost as much as looking at the process. */
function createPauses({ monotonic }: Clock) {
  let count = 0;
  let now = monotonic();
  return {
    now: () => now,
    due() {
      count = (count + 1) % 8;
      return count === 0;
    },
    done: () => { now = monotonic(); },
  };
}

/** The same for a process each time, and different for most. */
const spread = (pid: number, within: number) => (pid * 7919) % within;
