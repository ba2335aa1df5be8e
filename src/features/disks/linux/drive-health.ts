import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { StartThread, Thread } from '../../../lib/thread.ts';
import type { DriveReading } from '../smart/drive-reading.ts';
import { parseAtaHealth, parseRegisters, parseVerdict } from '../smart/smart.ata.ts';
import { parseNvmeHealth } from '../smart/smart.nvme.ts';
import type { DriveAnswer, DriveQuestion } from './drive-commands.thread.ts';
import { readUdisks, watchUdisks } from './udisks.ts';

/** A drive that may know how it is. */
export interface AskableDrive {
  /** `sda` */
  name: string;
  /** `8:0` */
  numbers: string;
  /** How it is asked directly; null: only UDisks may know. */
  kind: DriveQuestion['kind'] | null;
}

/** What came of asking. */
export type DriveState =
  | { kind: 'read'; reading: DriveReading }
  /** Not woken; with what it said before it fell asleep. */
  | { kind: 'asleep'; reading: DriveReading | null }
  /** Neither does UDisks tell, nor may we ask. */
  | { kind: 'denied' }
  /** Asked, and not heard. */
  | { kind: 'silent' }
  /** It does not say, or what it says makes no sense. */
  | { kind: 'mute' };

export type DriveStates = ReadonlyMap<string, DriveState>;

/** The health of all drives, kept for all who want to know. */
export interface DriveHealth {
  /**
   * What is known, at once; drives of which nothing is known yet are waited for a little. Those that were not asked for a while are asked
   * meanwhile. The same object as long as nothing changes.
   */
  read(drives: readonly AskableDrive[], waitMs: number): DriveStates | Promise<DriveStates>;
  /** What is known, without asking anybody; the same object as long as nothing changes. */
  known(): DriveStates;
  /** Calls back when something is known that was not; returns the way to stop. */
  watch(changed: () => void): () => void;
}

type DriveHost = Pick<LinuxHost, 'files' | 'place' | 'clock' | 'dbus' | 'startThread'>;

/** Drives change slowly, and UDisks itself asks them so often. */
export const healthFreshMs = 600_000;
/** Longer than the kernel gives each of the few commands together. */
const silentMs = 45_000;
/** UDisks reads all drives at once, and tells of each. */
const newsMs = 500;

export function createDriveHealth({ files, place, clock, dbus, startThread }: DriveHost): DriveHealth {
  const { system } = dbus;
  const entries = new Map<string, { state: DriveState; at: number }>();
  const listeners = new Set<() => void>();
  const stuck = new Set<string>();
  let states: DriveStates = new Map();
  let known: readonly AskableDrive[] = [];
  let refreshing: Promise<void> | null = null;
  /** Somebody did not wait for the first answers. */
  let missed = false;
  let stopFollowing: (() => void) | null = null;

  const put = (name: string, state: DriveState) => entries.set(name, { state, at: clock.monotonic() });
  const readingOf = (name: string): DriveReading | null => {
    const state = entries.get(name)?.state;
    return state !== undefined && 'reading' in state ? state.reading : null;
  };

  /** Makes what is told anew, and tells those who follow if it is something else. */
  const publish = (isNews = true) => {
    const next = new Map([...entries].map(([name, { state }]) => [name, state]));
    // When it was read changes all the time.
    const isOther = worthTelling(next) !== worthTelling(states);
    states = next;
    if (isNews && isOther) for (const listener of listeners) listener();
  };

  const refresh = async (due: readonly AskableDrive[]) => {
    const isFirst = due.some(({ name }) => !entries.has(name));
    missed = false;
    const told = await readUdisks(system);
    const lane = openLane(startThread, clock);
    try {
      for (const drive of due) {
        const reading = told?.get(drive.name);
        if (reading !== undefined) put(drive.name, { kind: 'read', reading });
        else put(drive.name, await askDirectly(drive, lane));
      }
    } finally {
      lane.end();
    }
    // Who asked first has waited for it.
    publish(!isFirst || missed);
  };

  const askDirectly = async ({ name, numbers, kind }: AskableDrive, lane: DriveLane): Promise<DriveState> => {
    const file = `/dev/${name}`;
    if (kind === null) return { kind: 'mute' };
    if (!files.exists(file) || files.denied(file)) return { kind: 'denied' };
    // To open it would wake it.
    if (isSuspended(files, name)) return { kind: 'asleep', reading: readingOf(name) };
    if (stuck.has(name)) return { kind: 'silent' };
    stuck.add(name);
    const asking = lane.ask({ kind, file: place(file), numbers }, () => stuck.delete(name));
    const answer = await asking.catch(() => {
      // There is no thread to be had.
      stuck.delete(name);
      return null;
    });
    return toState(answer, readingOf(name), Math.floor(clock.now() / 1000));
  };

  /** What UDisks has read meanwhile. No drive is asked for it. */
  const hearUdisks = async () => {
    const told = await readUdisks(system);
    for (const { name } of known) {
      const reading = told?.get(name);
      if (reading !== undefined) put(name, { kind: 'read', reading });
    }
    publish();
  };

  const follow = () => {
    let cancel: (() => void) | null = null;
    const stop = watchUdisks(system, () => {
      cancel ??= clock.after(newsMs, () => {
        cancel = null;
        void hearUdisks();
      });
    });
    stopFollowing = () => {
      stopFollowing = null;
      cancel?.();
      stop();
    };
  };

  const isDue = ({ name }: AskableDrive) => {
    const entry = entries.get(name);
    return entry === undefined || clock.monotonic() - entry.at >= healthFreshMs;
  };

  const forgetOthers = (drives: readonly AskableDrive[]) => {
    const there = new Set(drives.map(({ name }) => name));
    const gone = [...entries.keys()].filter((name) => !there.has(name));
    for (const name of gone) entries.delete(name);
    if (gone.length > 0) publish();
  };

  return {
    read(drives, waitMs) {
      if (drives !== known) {
        known = drives;
        forgetOthers(drives);
      }
      if (drives.length === 0) return states;
      if (listeners.size > 0 && stopFollowing === null) follow();
      const due = drives.filter(isDue);
      if (due.length === 0) return states;
      refreshing ??= refresh(due)
        .catch(() => {})
        .finally(() => {
          refreshing = null;
        });
      if (drives.every(({ name }) => entries.has(name))) return states;
      return within(clock, refreshing, waitMs).then((isDone) => {
        missed ||= !isDone;
        return states;
      });
    },
    known: () => states,
    watch(changed) {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
        if (listeners.size === 0) stopFollowing?.();
      };
    },
  };
}

function worthTelling(states: DriveStates): string {
  return JSON.stringify([...states], (key, value) => (key === 'readAt' ? undefined : value));
}

/** false: it takes longer. */
function within(clock: Clock, work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    const done = () => {
      cancel();
      resolve(true);
    };
    work.then(done, done);
  });
}

/** The kernel put it, or the controller of an NVMe drive, to sleep. https://docs.kernel.org/power/runtime_pm.html */
function isSuspended(files: Files, name: string): boolean {
  return ['device', 'device/device'].some(
    (part) => files.text(`/sys/block/${name}/${part}/power/runtime_status`)?.trim() === 'suspended',
  );
}

export function toState(answer: DriveAnswer | null, before: DriveReading | null, readAt: number): DriveState {
  if (answer === null) return { kind: 'silent' };
  if (answer.kind === 'denied') return { kind: 'denied' };
  if (answer.kind === 'asleep') return { kind: 'asleep', reading: before };
  if (answer.kind === 'failed') return { kind: 'mute' };
  const reading =
    answer.kind === 'nvme'
      ? parseNvmeHealth(answer.log, readAt)
      : parseAtaHealth(
          answer.data,
          answer.thresholds,
          parseVerdict(answer.sense === null ? null : parseRegisters(answer.sense)),
          readAt,
        );
  return reading === null ? { kind: 'mute' } : { kind: 'read', reading };
}

interface DriveLane {
  /** null: it did not answer in time; `answered` is called when it does after all. */
  ask(question: DriveQuestion, answered: () => void): Promise<DriveAnswer | null>;
  end(): void;
}

/** A thread for one question after another. One that does not come back is left behind, and the next question gets another. */
function openLane(startThread: StartThread, clock: Clock): DriveLane {
  let running: LaneThread | null = null;

  const start = (): LaneThread => {
    const mine: LaneThread = {
      settle: () => {},
      thread: startThread('disks.drives', null, {
        message: (answer) => mine.settle(answer as DriveAnswer),
        failed: (reason) => {
          if (running === mine) running = null;
          mine.settle({ kind: 'failed', problem: reason });
        },
      }),
    };
    return mine;
  };

  return {
    async ask(question, answered) {
      running ??= start();
      const mine = running;
      const thread = await mine.thread;
      return await new Promise((resolve) => {
        const giveUp = clock.after(silentMs, () => {
          running = null;
          mine.settle = () => {
            answered();
            thread.end();
          };
          resolve(null);
        });
        mine.settle = (answer) => {
          giveUp();
          answered();
          resolve(answer);
        };
        thread.send(question);
      });
    },
    end: () => void running?.thread.then((thread) => thread.end()).catch(() => {}),
  };
}

interface LaneThread {
  thread: Promise<Thread>;
  settle(answer: DriveAnswer): void;
}
