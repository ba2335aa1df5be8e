import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Activity } from './processes.activity.ts';
import { cpuUsage, type ProcessEntry } from './processes.entry.ts';
import { createFactsReader, type ProcessFacts } from './processes.facts.ts';
import type { MachineNumbers } from './processes.machine.ts';
import {
  emptyStat,
  isEnding,
  isKernelThread,
  type ProcessStat,
  parseProcessStat,
  running,
  runsParentsProgram,
} from './processes.stat.ts';
import type { UserNames } from './users.ts';

/** Looks at one process: as little as possible at one that is known, at everything of one that is new. Times are ms on the monotonic clock. */
export interface Inspector {
  /** `lastLook`: when all were looked at before; null: this is the first time. */
  meet(pid: number, now: number, lastLook: number | null): ProcessEntry | 'gone' | 'hidden';
  /** false: it is gone. */
  update(entry: ProcessEntry, now: number): boolean;
  /** Gives back what is kept for it. */
  forget(entry: ProcessEntry): void;
}

/** Program, user and directory of processes that run are looked at this often, and so is the memory of those that do not, ms. */
const runningLookMs = 30_000;
const idleLookMs = 90_000;
/** Directories can be renamed under a process that does nothing. */
const factsEveryLooks = 8;

export function createInspector(
  { files, clock }: Pick<LinuxHost, 'files' | 'clock'>,
  activity: Activity,
  machine: MachineNumbers,
  users: UserNames,
): Inspector {
  const readFacts = createFactsReader(files, clock);
  const buffer = Buffer.allocUnsafeSlow(4096);
  const stat = emptyStat();

  const readStat = (file: ProcessEntry['file']) => {
    const length = file.read(buffer);
    return length !== null && parseProcessStat(buffer, length, stat);
  };

  const secondsOf = (counter: number | null) =>
    activity.countsTime && counter !== null ? counter / 1e9 : stat.ticks / machine.ticksPerSecond;

  /** What `stat` just said. */
  const take = (entry: ProcessEntry) => {
    entry.state = stat.state;
    entry.parent = stat.parent;
    entry.flags = stat.flags;
    entry.threads = stat.threads;
    entry.residentPages = stat.residentPages;
  };

  /** false: it is gone. */
  const learnFacts = (entry: ProcessEntry, comm: string): boolean => {
    const before = entry.user === null ? null : entry.facts;
    const facts = readFacts(entry.pid, comm, entry, before);
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

  const meet = (pid: number, now: number, lastLook: number | null): ProcessEntry | 'gone' | 'hidden' => {
    const file = files.short(`/proc/${pid}/stat`);
    const counter = activity.counter(pid, 1);
    if (!readStat(file)) {
      activity.forget(pid);
      // Its directory has a status, even where hidepid=1 lets nobody in.
      return files.modified(`/proc/${pid}`) === null ? 'gone' : 'hidden';
    }
    const cpuSeconds = secondsOf(counter);
    const entry: ProcessEntry = {
      pid,
      start: stat.start,
      state: stat.state,
      parent: stat.parent,
      flags: stat.flags,
      threads: stat.threads,
      residentPages: stat.residentPages,
      file,
      counter,
      cpuSeconds,
      sampledAt: now,
      facts: unknownFacts,
      user: null,
      ranSince: false,
      // Who is new may be about to become another user or to go elsewhere; those of the first look take turns.
      lookAt: lastLook === null ? now + spread(pid, idleLookMs) : now,
      looks: 0,
      cpuUsage: lastLook === null ? 0 : cpuUsage(cpuSeconds, lifeSince(lastLook, now)),
      shown: null,
    };
    const isThere = learnFacts(entry, commOf(buffer, stat));
    // Most processes do nothing: the descriptor is kept once this one was seen to run.
    file.close();
    if (isThere) return entry;
    activity.forget(pid);
    return 'gone';
  };

  /** It has lived since the last look, unless it was overlooked then. */
  const lifeSince = (last: number, now: number) => {
    const bornAt = machine.monotonicAt(stat.start);
    return Math.max(now - last, bornAt === null ? 0 : now - bornAt);
  };

  /** false: it is gone. */
  const update = (entry: ProcessEntry, now: number): boolean => {
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
    const otherProgram =
      !isName(buffer, stat, entry.facts.comm) || runsParentsProgram(stat) !== runsParentsProgram(entry);
    const comm = otherProgram ? commOf(buffer, stat) : entry.facts.comm;
    take(entry);
    entry.ranSince ||= ran;
    if (ran) entry.lookAt = Math.min(entry.lookAt, now + runningLookMs);
    if (due) {
      entry.looks += 1;
      entry.lookAt = now + (ran ? runningLookMs : idleLookMs) + spread(entry.pid, runningLookMs / 2);
      if (!ran) entry.file.close();
    }
    const factsDue = due && (entry.ranSince || entry.looks % factsEveryLooks === 0);
    return otherProgram || factsDue ? learnFacts(entry, comm) : true;
  };

  return {
    meet,
    update,
    forget(entry) {
      entry.file.close();
      activity.forget(entry.pid);
    },
  };
}

const unknownFacts: ProcessFacts = { comm: '', name: { text: '' }, path: null, workingDirectory: null, uid: null };

const commOf = (bytes: Buffer, { nameFrom, nameTo }: ProcessStat) => bytes.toString('latin1', nameFrom, nameTo);

function isName(bytes: Uint8Array, { nameFrom, nameTo }: ProcessStat, comm: string): boolean {
  if (nameTo - nameFrom !== comm.length) return false;
  for (let index = 0; index < comm.length; index += 1)
    if (bytes[nameFrom + index] !== comm.charCodeAt(index)) return false;
  return true;
}

/** The same for a process each time, and different for most. */
const spread = (pid: number, within: number) => (pid * 7919) % within;
