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

/** How often program, user and directory of running processes are read, and the memory of idle ones, ms. */
const runningMs = 30_000;
const idleMs = 90_000;
/** Directories can be renamed under an idle process. */
const factsEvery = 8;

type InspectorState = ReturnType<typeof createState>;

/** Reads single processes: all fields of a new one, as little as possible of a known one. Times are ms on the monotonic clock. */
export function createInspector(host: InspectorHost, activity: Activity, machine: MachineNumbers, users: UserNames) {
  const state = createState(host, activity, machine, users);
  return {
    /** `lastRead`: when all processes were read before; null: this is the first read. */
    open: (pid: number, now: number, lastRead: number | null) => openEntry(state, pid, now, lastRead),
    /** false: it has ended. */
    update: (entry: ProcessEntry, now: number) => updateEntry(state, entry, now),
    /** Releases its descriptors. */
    forget(entry: ProcessEntry) {
      entry.file.close();
      activity.forget(entry.pid);
    },
  };
}

type InspectorHost = Pick<LinuxHost, 'files'>;

const createState = ({ files }: InspectorHost, activity: Activity, machine: MachineNumbers, users: UserNames) => ({
  files,
  activity,
  machine,
  users,
  readFacts: createFactsReader(files),
  /** The last `stat`: its bytes and its fields. */
  buffer: Buffer.allocUnsafeSlow(4096),
  stat: emptyStat(),
});

function openEntry(
  state: InspectorState,
  pid: number,
  now: number,
  lastRead: number | null,
): ProcessEntry | 'gone' | 'hidden' {
  const { files, activity, stat } = state;
  const file = files.short(`/proc/${pid}/stat`);
  const counter = activity.counter(pid, 1);
  if (!readStat(state, file)) {
    activity.forget(pid);
    // With hidepid=1 its directory is visible but not readable.
    return files.modified(`/proc/${pid}`) === null ? 'gone' : 'hidden';
  }
  const cpuSeconds = secondsOf(state, counter);
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
    // A new process may still change its user or directory; those of the first read are spread over time.
    dueAt: lastRead === null ? now + spread(pid, idleMs) : now,
    timesDue: 0,
    cpuUsage: lastRead === null ? 0 : cpuUsage(cpuSeconds, ageSince(state, lastRead, now)),
    recordedSeconds: null,
    shown: null,
  };
  const isThere = updateFacts(state, entry, commOf(state.buffer, stat));
  // Most processes are idle: the descriptor is opened again at the first activity.
  file.close();
  if (isThere) return entry;
  activity.forget(pid);
  return 'gone';
}

/** Since the last read, or since the start of a process that the last read missed. */
function ageSince({ machine, stat }: InspectorState, last: number, now: number): number {
  const startedAt = machine.monotonicAt(stat.start);
  return Math.max(now - last, startedAt === null ? 0 : now - startedAt);
}

function updateEntry(state: InspectorState, entry: ProcessEntry, now: number): boolean {
  const { activity, stat, buffer } = state;
  const counter = activity.counter(entry.pid, entry.threads);
  const ran = counter === null || counter !== entry.counter;
  const due = now >= entry.dueAt;
  // A runnable process may leave that state without having run.
  if (!ran && !due && entry.state !== running) {
    entry.cpuUsage = 0;
    entry.sampledAt = now;
    return true;
  }
  if (!readStat(state, entry.file) || stat.start !== entry.start) return false;
  const cpuSeconds = secondsOf(state, counter);
  entry.cpuUsage = cpuUsage(cpuSeconds - entry.cpuSeconds, now - entry.sampledAt);
  entry.cpuSeconds = cpuSeconds;
  entry.sampledAt = now;
  entry.counter = counter;
  const otherProgram =
    !isName(buffer, stat, entry.facts.comm) || runsParentsProgram(stat) !== runsParentsProgram(entry);
  const comm = otherProgram ? commOf(buffer, stat) : entry.facts.comm;
  applyStat(entry, stat);
  entry.ranSince ||= ran;
  if (ran) entry.dueAt = Math.min(entry.dueAt, now + runningMs);
  if (due) {
    entry.timesDue += 1;
    entry.dueAt = now + (ran ? runningMs : idleMs) + spread(entry.pid, runningMs / 2);
    if (!ran) entry.file.close();
  }
  const factsDue = due && (entry.ranSince || entry.timesDue % factsEvery === 0);
  return otherProgram || factsDue ? updateFacts(state, entry, comm) : true;
}

/** false: it has ended. */
function updateFacts(state: InspectorState, entry: ProcessEntry, comm: string): boolean {
  const before = entry.user === null ? null : entry.facts;
  const facts = state.readFacts(entry.pid, comm, entry, before);
  if (facts.path === null && !isKernelThread(entry)) {
    // Either it is not readable, or it has just ended.
    if (!readStat(state, entry.file)) return false;
    applyStat(entry, state.stat);
  }
  // The facts of an ending process are those of before.
  if (before !== null && isEnding(entry)) return true;
  entry.facts = facts;
  entry.user = facts.uid === null ? null : state.users.of(facts.uid);
  entry.ranSince = false;
  return true;
}

function readStat({ buffer, stat }: InspectorState, file: ProcessEntry['file']): boolean {
  const length = file.read(buffer);
  return length !== null && parseProcessStat(buffer, length, stat);
}

const secondsOf = ({ activity, stat, machine }: InspectorState, counter: number | null) =>
  activity.countsTime && counter !== null ? counter / 1e9 : stat.ticks / machine.ticksPerSecond;

function applyStat(entry: ProcessEntry, stat: ProcessStat): void {
  entry.state = stat.state;
  entry.parent = stat.parent;
  entry.flags = stat.flags;
  entry.threads = stat.threads;
  entry.residentPages = stat.residentPages;
}

const unknownFacts: ProcessFacts = { comm: '', name: { text: '' }, path: null, workingDirectory: null, uid: null };

const commOf = (bytes: Buffer, { nameFrom, nameTo }: ProcessStat) => bytes.toString('latin1', nameFrom, nameTo);

function isName(bytes: Uint8Array, { nameFrom, nameTo }: ProcessStat, comm: string): boolean {
  if (nameTo - nameFrom !== comm.length) return false;
  for (let index = 0; index < comm.length; index += 1)
    if (bytes[nameFrom + index] !== comm.charCodeAt(index)) return false;
  return true;
}

/** Constant for a process, and different for most. */
const spread = (pid: number, within: number) => (pid * 7919) % within;
