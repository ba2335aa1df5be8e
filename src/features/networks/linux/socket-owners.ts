import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { ProcessClock } from '../../../host/linux/proc/process-clock.ts';
import { createSocketHolder, ownSocketInode, type SocketHolder } from './process-sockets.ts';

/** The process that holds a socket, and its descriptor; of several the first one found. */
export interface SocketOwner {
  pid: number;
  descriptor: number;
}

export interface OwnerParts {
  files: Files;
  /** Our own PID in /proc; null: not in there. */
  ownPid: number | null;
  ownUid: number | null;
  /** CPU time of the processes in /proc. null: not readable. */
  clock: ProcessClock | null;
  /** Monotonic milliseconds. */
  now(): number;
  inodeOf?(descriptor: number): number | null;
}

const givenUpMs = 60_000;

/** Owners are searched when a socket appears, first in processes that have sockets, then in the others, and only in those that have run since the last search: the others have opened nothing. */
export function createSocketOwners({ files, ownPid, ownUid, clock, now, ...parts }: OwnerParts) {
  const owners = new Map<number, SocketOwner>();
  const holders = new Map<number, SocketHolder>();
  /** Sockets without a known owner. */
  const givenUp = new Set<number>();
  let tryAgainAt = 0;
  let isHidden = false;

  const inodeOf = parts.inodeOf ?? ownSocketInode;
  const hidden = () => {
    isHidden = true;
  };

  const holderOf = (pid: number): SocketHolder => {
    const known = holders.get(pid);
    if (known !== undefined) return known;
    const holder = createSocketHolder(pid, { files, clock, now, hidden, inodeOf: pid === ownPid ? inodeOf : null });
    holders.set(pid, holder);
    return holder;
  };

  const forget = ({ pid, sockets }: SocketHolder) => {
    for (const inode of sockets.values()) owners.delete(inode);
    holders.delete(pid);
  };

  const removeGone = (alive: ReadonlySet<number>) => {
    for (const inode of givenUp) if (!alive.has(inode)) givenUp.delete(inode);
    for (const holder of holders.values()) {
      for (const [descriptor, inode] of holder.sockets) {
        if (alive.has(inode)) continue;
        holder.release(descriptor);
        owners.delete(inode);
      }
    }
  };

  function* removeUntrue(): Generator<void, void> {
    for (const holder of holders.values()) {
      if (holder.sockets.size === 0) continue;
      if (!holder.isTrue()) forget(holder);
      yield;
    }
  }

  /** Sockets without an owner that may have one. */
  const select = (sockets: readonly InetSocket[]): Set<number> => {
    const wanted = new Set<number>();
    const again = tryAgainAt <= now();
    if (again) {
      givenUp.clear();
      tryAgainAt = now() + givenUpMs;
    }
    for (const { inode, uid } of sockets) {
      if (inode === 0 || owners.has(inode) || givenUp.has(inode)) continue;
      // Sockets of other users are hardly ever in a readable process: they wait for the next round.
      if (isHidden && ownUid !== 0 && uid !== ownUid && !again) givenUp.add(inode);
      else wanted.add(inode);
    }
    return wanted;
  };

  function* search(wanted: Set<number>): Generator<void, void> {
    const first = new Set(ownPid === null ? [] : [ownPid]);
    for (const { pid, sockets } of holders.values()) if (sockets.size > 0) first.add(pid);
    yield* searchIn(first, wanted);
    if (wanted.size === 0) return;
    const all = new Set(files.entries('/proc').map(Number).filter(Number.isInteger));
    for (const holder of holders.values()) if (!all.has(holder.pid)) forget(holder);
    for (const pid of first) all.delete(pid);
    yield* searchIn(all, wanted);
  }

  function* searchIn(pids: Iterable<number>, wanted: Set<number>): Generator<void, void> {
    for (const pid of pids) {
      if (wanted.size === 0) return;
      yield* holderOf(pid).claim(wanted, (descriptor, inode) => owners.set(inode, { pid, descriptor }));
      yield;
    }
  }

  return {
    /** Finds the owners of new sockets and forgets those of closed ones. */
    *update(sockets: readonly InetSocket[]): Generator<void, void> {
      const alive = new Set<number>();
      for (const { inode } of sockets) if (inode !== 0) alive.add(inode);
      removeGone(alive);
      yield;
      yield* removeUntrue();
      const wanted = select(sockets);
      if (wanted.size === 0) return;
      yield* search(wanted);
      for (const inode of wanted) givenUp.add(inode);
    },
    of: ({ inode }: InetSocket) => (inode === 0 ? null : (owners.get(inode) ?? null)),
    /** Whether the descriptors of some processes are not readable. */
    hidden: () => isHidden,
  };
}
