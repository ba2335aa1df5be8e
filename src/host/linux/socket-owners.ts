import fs from 'node:fs';
import type { Files } from '../files.ts';
import type { InetSocket } from './inet-socket.ts';
import type { ProcessClock } from './process-clock.ts';

/** The process that holds a socket, and under which number; of several the one that was found first. */
export interface SocketOwner {
  pid: number;
  descriptor: number;
}

export interface SocketOwners {
  /** Finds the owners of sockets that are new and forgets those of sockets that are gone. */
  update(sockets: readonly InetSocket[]): Generator<void, void>;
  of(socket: InetSocket): SocketOwner | null;
  /** Whether there were processes whose descriptors we may not see. */
  hidden(): boolean;
}

export interface OwnerParts {
  files: Files;
  /** Our own process as /proc names it; null: it is not in there. */
  ownPid: number | null;
  ownUid: number | null;
  /** Of the processes in /proc. null: they cannot be asked. */
  clock: ProcessClock | null;
  /** Monotonic milliseconds. */
  now(): number;
  /** Inode of one of our own descriptors. */
  inodeOf?(descriptor: number): number | null;
}

interface HoldingProcess {
  pid: number;
  /** CPU time before its descriptors were looked at: unless it has run since, they are the same. null: unknown. */
  scannedAt: number | null;
  /** The same for when what we know of it was last found true. */
  verifiedAt: number | null;
  /** Sockets that are in the table, by descriptor. */
  holds: Map<number, number>;
  /** Found lately: whoever accepts for somebody else closes it at once. */
  fresh: number[];
  /** Sockets that nobody asked for when it was looked at. */
  unclaimed: Map<number, number>;
  /** A kernel thread, or none of our business: not worth a look before that time. */
  emptyUntil: number;
}

const emptyMs = 60_000;
const givenUpMs = 60_000;
const stepDescriptors = 64;

/**
 * Owners are looked for when a socket appears, first in the processes that have sockets, then in the others, and only in those
 * that have run since they were looked at last: who has not run has opened nothing.
 */
export function createSocketOwners({ files, ownPid, ownUid, clock, now, ...parts }: OwnerParts): SocketOwners {
  const inodeOf = parts.inodeOf ?? ownInode;
  const owners = new Map<number, SocketOwner>();
  const processes = new Map<number, HoldingProcess>();
  const givenUp = new Set<number>();
  let tryAgainAt = 0;
  let hidden = false;

  const clockOf = (pid: number) => clock?.(pid) ?? null;
  /** Without a clock, whoever might have run has. */
  const hasRun = (since: number | null, at: number | null) => at === null || since !== at;

  const claim = (process: HoldingProcess, descriptor: number, inode: number) => {
    owners.set(inode, { pid: process.pid, descriptor });
    process.holds.set(descriptor, inode);
    process.fresh.push(descriptor);
  };

  const forget = (process: HoldingProcess) => {
    for (const inode of process.holds.values()) owners.delete(inode);
    processes.delete(process.pid);
  };

  const holdsStill = ({ pid, holds }: HoldingProcess, descriptor: number) => {
    const inode = holds.get(descriptor);
    if (inode === undefined) return true;
    if (pid === ownPid) return inodeOf(descriptor) === inode;
    return files.link(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`;
  };

  /** Of a process that has run, what is new and one other each time: a socket that lives on may have changed hands. */
  const verify = (process: HoldingProcess) => {
    const at = clockOf(process.pid);
    if (!hasRun(process.verifiedAt, at)) return;
    process.verifiedAt = at;
    const checked = process.fresh.splice(0, stepDescriptors);
    const [turn] = process.holds;
    if (turn !== undefined) {
      process.holds.delete(turn[0]);
      process.holds.set(...turn);
      checked.push(turn[0]);
    }
    if (!checked.every((descriptor) => holdsStill(process, descriptor))) forget(process);
  };

  const removeGone = (alive: ReadonlySet<number>) => {
    for (const inode of givenUp) if (!alive.has(inode)) givenUp.delete(inode);
    for (const process of processes.values()) {
      for (const [descriptor, inode] of process.holds) {
        if (alive.has(inode)) continue;
        process.holds.delete(descriptor);
        owners.delete(inode);
      }
    }
  };

  function* scan(pid: number, wanted: Set<number>): Generator<void, void> {
    const process = processes.get(pid) ?? newProcess(pid);
    processes.set(pid, process);
    const at = clockOf(pid);
    if (hasRun(process.scannedAt, at)) {
      if (process.emptyUntil > now()) return;
      process.scannedAt = at;
      process.verifiedAt = at;
      yield* lookInto(process);
    }
    let claimed = 0;
    for (const [descriptor, inode] of process.unclaimed) {
      if (!wanted.delete(inode)) continue;
      process.unclaimed.delete(descriptor);
      claim(process, descriptor, inode);
      claimed += 1;
      if (claimed % stepDescriptors === 0) yield;
    }
  }

  function* lookInto(process: HoldingProcess): Generator<void, void> {
    process.unclaimed.clear();
    const directory = `/proc/${process.pid}/fd`;
    const names = files.entries(directory);
    if (names.length === 0) {
      process.emptyUntil = now() + emptyMs;
      // Kernel threads have none, and no command line either.
      hidden ||= (files.text(`/proc/${process.pid}/cmdline`) ?? '') !== '';
    }
    for (const [index, name] of names.entries()) {
      if (index % stepDescriptors === stepDescriptors - 1) yield;
      const descriptor = Number(name);
      if (process.holds.has(descriptor)) continue;
      const isOwn = process.pid === ownPid;
      const inode = isOwn ? inodeOf(descriptor) : socketInode(files.link(`${directory}/${name}`));
      if (inode !== null) process.unclaimed.set(descriptor, inode);
    }
  }

  function* search(wanted: Set<number>): Generator<void, void> {
    const first = new Set(ownPid === null ? [] : [ownPid]);
    for (const { pid, holds } of processes.values()) if (holds.size > 0) first.add(pid);
    yield* scanAll(first, wanted);
    if (wanted.size === 0) return;
    const all = new Set(files.entries('/proc').map(Number).filter(Number.isInteger));
    for (const process of processes.values()) if (!all.has(process.pid)) forget(process);
    for (const pid of first) all.delete(pid);
    yield* scanAll(all, wanted);
  }

  function* scanAll(pids: Iterable<number>, wanted: Set<number>): Generator<void, void> {
    for (const pid of pids) {
      if (wanted.size === 0) return;
      yield* scan(pid, wanted);
      yield;
    }
  }

  /** Those without an owner that may have one. */
  const select = (sockets: readonly InetSocket[]): Set<number> => {
    const wanted = new Set<number>();
    const again = tryAgainAt <= now();
    if (again) {
      givenUp.clear();
      tryAgainAt = now() + givenUpMs;
    }
    for (const { inode, uid } of sockets) {
      if (inode === 0 || owners.has(inode) || givenUp.has(inode)) continue;
      // Those of other users are hardly ever in a process that we may look into: that can wait for the next round.
      if (hidden && ownUid !== 0 && uid !== ownUid && !again) givenUp.add(inode);
      else wanted.add(inode);
    }
    return wanted;
  };

  return {
    *update(sockets) {
      const alive = new Set<number>();
      for (const { inode } of sockets) if (inode !== 0) alive.add(inode);
      removeGone(alive);
      yield;
      for (const process of processes.values()) {
        if (process.holds.size === 0) continue;
        verify(process);
        yield;
      }
      const wanted = select(sockets);
      if (wanted.size === 0) return;
      yield* search(wanted);
      for (const inode of wanted) givenUp.add(inode);
    },
    of: ({ inode }) => (inode === 0 ? null : (owners.get(inode) ?? null)),
    hidden: () => hidden,
  };
}

function newProcess(pid: number): HoldingProcess {
  return {
    pid,
    scannedAt: null,
    verifiedAt: null,
    holds: new Map(),
    fresh: [],
    unclaimed: new Map(),
    emptyUntil: 0,
  };
}

function socketInode(target: string | null): number | null {
  return target?.startsWith('socket:[') === true ? Number(target.slice(8, -1)) : null;
}

/** Cheaper than reading the link, and we have many. */
function ownInode(descriptor: number): number | null {
  try {
    const stat = fs.fstatSync(descriptor);
    return stat.isSocket() ? stat.ino : null;
  } catch {
    return null;
  }
}
