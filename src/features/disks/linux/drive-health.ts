import type { Bus } from '@hostler/dbus/dbus.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { settledWithin } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { createListeners, type Listeners } from '../../../lib/listeners.ts';
import { createThreadCalls, type ThreadCalls } from '../../../lib/thread-calls.ts';
import type { DriveReading } from '../smart/drive-reading.ts';
import { parseAtaHealth, parseRegisters, parseVerdict } from '../smart/smart.ata.ts';
import { parseNvmeHealth } from '../smart/smart.nvme.ts';
import type { DriveReply, DriveRequest } from './drive-commands.thread.ts';
import { readUdisks, watchUdisks } from './udisks.ts';

/** A drive that may report its health. */
export interface AskableDrive {
  /** `sda` */
  name: string;
  /** `8:0` */
  numbers: string;
  /** Its command set; null: only UDisks may know its health. */
  kind: DriveRequest['kind'] | null;
}

export interface DriveState {
  /**
   * asleep: not woken. denied: UDisks does not report it, and this service may not open the drive. silent: it did not answer.
   * mute: it does not support SMART, or its answer is invalid.
   */
  kind: 'read' | 'asleep' | 'denied' | 'silent' | 'mute';
  /** Of a drive that sleeps: the one before it fell asleep. */
  reading?: DriveReading | null;
}

export type DriveStates = ReadonlyMap<string, DriveState>;

/** The health of all drives, shared by all readers. */
export interface DriveHealth {
  /**
   * The known states, at once; waits up to `waitMs` for drives never queried before. Outdated states are refreshed in the background. The same
   * object as long as nothing changes.
   */
  read(drives: readonly AskableDrive[], waitMs: number): DriveStates | Promise<DriveStates>;
  /** The known states without a query; the same object as long as nothing changes. */
  known(): DriveStates;
  /** Calls back when a state has changed; returns a function that stops. */
  watch(changed: () => void): () => void;
}

type DriveHost = Pick<LinuxHost, 'files' | 'place' | 'clock' | 'dbus' | 'startThread'>;

/** Drives change slowly; UDisks reads them at the same interval. */
export const healthFreshMs = 600_000;
/** UDisks reads all drives at once, and announces each. */
const gatherMs = 500;
/** More than the kernel allows for the few commands together; after it the thread counts as stuck, and the next query gets another. */
const silentMs = 45_000;

interface HealthTable {
  host: DriveHost;
  system: Bus;
  entries: Map<string, { state: DriveState; at: number }>;
  /** Drives with a command that has not returned. */
  stuck: Set<string>;
  listeners: Listeners<[]>;
  states: DriveStates;
  drives: readonly AskableDrive[];
  refreshing: Promise<void> | null;
  /** A reader did not wait for the first answers. */
  missed: boolean;
  stopFollowing: (() => void) | null;
}

export function createDriveHealth(host: DriveHost): DriveHealth {
  const table: HealthTable = {
    host,
    system: host.dbus.system,
    entries: new Map(),
    stuck: new Set(),
    listeners: createListeners(),
    states: new Map(),
    drives: [],
    refreshing: null,
    missed: false,
    stopFollowing: null,
  };
  return {
    read: (drives, waitMs) => readStates(table, drives, waitMs),
    known: () => table.states,
    watch(changed) {
      const stop = table.listeners.add(changed);
      return () => {
        stop();
        if (table.listeners.isEmpty()) table.stopFollowing?.();
      };
    },
  };
}

function readStates(table: HealthTable, drives: readonly AskableDrive[], waitMs: number) {
  const { host, entries, listeners } = table;
  if (drives !== table.drives) {
    table.drives = drives;
    forgetOthers(table);
  }
  if (drives.length === 0) return table.states;
  if (!listeners.isEmpty()) table.stopFollowing ??= followUdisks(table);
  const due = drives.filter(({ name }) => isDue(table, name));
  if (due.length === 0) return table.states;
  table.refreshing ??= refresh(table, due)
    .catch(() => {})
    .finally(() => {
      table.refreshing = null;
    });
  if (drives.every(({ name }) => entries.has(name))) return table.states;
  return settledWithin(host.clock, table.refreshing, waitMs).then((isDone) => {
    table.missed ||= !isDone;
    return table.states;
  });
}

function forgetOthers(table: HealthTable): void {
  const { entries, drives } = table;
  const present = new Set(drives.map(({ name }) => name));
  const gone = [...entries.keys()].filter((name) => !present.has(name));
  for (const name of gone) entries.delete(name);
  if (gone.length > 0) publish(table);
}

function isDue({ entries, host }: HealthTable, name: string): boolean {
  const entry = entries.get(name);
  return entry === undefined || host.clock.monotonic() - entry.at >= healthFreshMs;
}

const put = ({ entries, host }: HealthTable, name: string, state: DriveState) =>
  void entries.set(name, { state, at: host.clock.monotonic() });

/** `silently`: without a notification. */
function publish(table: HealthTable, silently = false): void {
  const next = new Map([...table.entries].map(([name, { state }]) => [name, state]));
  const hasChanged = summaryOf(next) !== summaryOf(table.states);
  table.states = next;
  if (hasChanged && !silently) table.listeners.announce();
}

/** Without the time of the reading, which always changes. */
const summaryOf = (states: DriveStates) =>
  JSON.stringify([...states], (key, value) => (key === 'read_at' ? undefined : value));

async function refresh(table: HealthTable, due: readonly AskableDrive[]): Promise<void> {
  const { host, system, entries } = table;
  const isFirst = due.some(({ name }) => !entries.has(name));
  table.missed = false;
  const known = await readUdisks(system);
  const thread = createThreadCalls(host.startThread, host.clock, { job: 'disks.drives' });
  try {
    for (const drive of due) {
      const reading = known?.get(drive.name);
      put(
        table,
        drive.name,
        reading !== undefined ? { kind: 'read', reading } : await queryDrive(table, drive, thread),
      );
    }
  } finally {
    thread.end('the drives were queried');
  }
  // The reader of the first answers has waited for them.
  publish(table, isFirst && !table.missed);
}

async function queryDrive(
  { host, entries, stuck }: HealthTable,
  { name, numbers, kind }: AskableDrive,
  thread: ThreadCalls,
): Promise<DriveState> {
  const { files, place, clock } = host;
  const file = `/dev/${name}`;
  if (kind === null) return { kind: 'mute' };
  if (!files.exists(file) || files.denied(file)) return { kind: 'denied' };
  // Opening it would wake it.
  if (isSuspended(files, name)) return { kind: 'asleep', reading: entries.get(name)?.state.reading ?? null };
  if (stuck.has(name)) return { kind: 'silent' };
  stuck.add(name);
  const request: DriveRequest = { kind, file: place(file), numbers };
  const asking = thread
    .ask(request)
    .then(
      (reply) => reply as DriveReply,
      (error): DriveReply => ({ kind: 'failed', problem: messageOf(error) }),
    )
    .finally(() => stuck.delete(name));
  const hasAnswered = await settledWithin(clock, asking, silentMs);
  if (!hasAnswered) thread.abandon();
  return toState(
    hasAnswered ? await asking : null,
    entries.get(name)?.state.reading ?? null,
    Math.floor(clock.now() / 1000),
  );
}

/** Readings of UDisks are taken over as they are announced. Causes no query of a drive. */
function followUdisks(table: HealthTable): () => void {
  const { host, system } = table;
  let cancel: (() => void) | null = null;
  const takeOver = async () => {
    const known = await readUdisks(system);
    for (const { name } of table.drives) {
      const reading = known?.get(name);
      if (reading !== undefined) put(table, name, { kind: 'read', reading });
    }
    publish(table);
  };
  const stop = watchUdisks(system, () => {
    cancel ??= host.clock.after(gatherMs, () => {
      cancel = null;
      void takeOver();
    });
  });
  return () => {
    table.stopFollowing = null;
    cancel?.();
    stop();
  };
}

/** Whether the kernel has suspended it, or the controller of an NVMe drive. https://docs.kernel.org/power/runtime_pm.html */
function isSuspended(files: Files, name: string): boolean {
  return ['device', 'device/device'].some(
    (part) => files.text(`/sys/block/${name}/${part}/power/runtime_status`)?.trim() === 'suspended',
  );
}

function toState(reply: DriveReply | null, before: DriveReading | null, readAt: number): DriveState {
  if (reply === null) return { kind: 'silent' };
  if (reply.kind === 'denied') return { kind: 'denied' };
  if (reply.kind === 'asleep') return { kind: 'asleep', reading: before };
  if (reply.kind === 'failed') return { kind: 'mute' };
  const reading =
    reply.kind === 'nvme'
      ? parseNvmeHealth(reply.log, readAt)
      : parseAtaHealth(
          reply.data,
          reply.thresholds,
          parseVerdict(reply.sense === null ? null : parseRegisters(reply.sense)),
          readAt,
        );
  return reading === null ? { kind: 'mute' } : { kind: 'read', reading };
}
