import fs from 'node:fs';
import type { Files } from '../../../host/linux/files.ts';
import type { ProcessClock } from '../../../host/linux/proc/process-clock.ts';

export type SocketHolder = ReturnType<typeof createSocketHolder>;

interface HolderParts {
  files: Files;
  /** null: CPU times cannot be read; then every process counts as having run. */
  clock: ProcessClock | null;
  /** Monotonic milliseconds. */
  now(): number;
  /** For our own descriptors, which are many: the inode if it is a socket. */
  inodeOf: ((descriptor: number) => number | null) | null;
  /** Called when its descriptors are not readable. */
  hidden(): void;
}

/** Kernel threads and processes without sockets are skipped for a while. */
const emptyMs = 60_000;
const stepDescriptors = 64;

/** The known sockets of one process. */
export function createSocketHolder(pid: number, { files, clock, now, inodeOf, hidden }: HolderParts) {
  const directory = `/proc/${pid}/fd`;
  const sockets = new Map<number, number>();
  /** Sockets seen before they were in the table. */
  const unclaimed = new Map<number, number>();
  /** Recently claimed: a process that accepts for another closes the socket soon. */
  const fresh: number[] = [];
  /** CPU time before its descriptors were read: unless it has run since, they are the same. */
  let scannedAt: number | null = null;
  let foundTrueAt: number | null = null;
  let emptyUntil = 0;

  const cpuTime = () => clock?.(pid) ?? null;
  const hasRun = (since: number | null, at: number | null) => at === null || since !== at;

  /** null: not a socket; undefined: not readable. */
  const inodeAt = (descriptor: number | string): number | null | undefined => {
    if (inodeOf !== null) return inodeOf(Number(descriptor));
    const target = files.link(`${directory}/${descriptor}`);
    if (target === null) return undefined;
    return target.startsWith('socket:[') ? Number(target.slice(8, -1)) : null;
  };

  function* scan(): Generator<void, void> {
    unclaimed.clear();
    const names = files.entries(directory);
    let isReadable = false;
    for (const [index, name] of names.entries()) {
      if (index % stepDescriptors === stepDescriptors - 1) yield;
      const descriptor = Number(name);
      const inode = sockets.has(descriptor) ? null : inodeAt(name);
      if (inode !== undefined) isReadable = true;
      if (typeof inode === 'number') unclaimed.set(descriptor, inode);
    }
    if (isReadable) return;
    emptyUntil = now() + emptyMs;
    if (mayHaveSockets(files.text(`/proc/${pid}/stat`) ?? '')) hidden();
  }

  return {
    pid,
    /** Sockets of the table, by descriptor. */
    sockets: sockets as ReadonlyMap<number, number>,
    /** Takes its sockets from the wanted ones. Reads its descriptors only if the process has run since the last time. */
    *claim(wanted: Set<number>, claimed: (descriptor: number, inode: number) => void): Generator<void, void> {
      const at = cpuTime();
      if (hasRun(scannedAt, at)) {
        if (emptyUntil > now()) return;
        scannedAt = at;
        foundTrueAt = at;
        yield* scan();
      }
      let count = 0;
      for (const [descriptor, inode] of unclaimed) {
        if (!wanted.delete(inode)) continue;
        unclaimed.delete(descriptor);
        sockets.set(descriptor, inode);
        fresh.push(descriptor);
        claimed(descriptor, inode);
        count += 1;
        if (count % stepDescriptors === 0) yield;
      }
    },
    /** Whether the known sockets are still correct; checks a few more each time the process has run. */
    isTrue(): boolean {
      const at = cpuTime();
      if (!hasRun(foundTrueAt, at)) return true;
      foundTrueAt = at;
      const checked = fresh.splice(0, stepDescriptors);
      // The least recently checked one: a socket may have been passed to another process.
      const [oldest] = sockets;
      if (oldest !== undefined) {
        sockets.delete(oldest[0]);
        sockets.set(...oldest);
        checked.push(oldest[0]);
      }
      return checked.every((descriptor) => {
        const inode = sockets.get(descriptor);
        return inode === undefined || inodeAt(descriptor) === inode;
      });
    },
    /** Called for a socket that left the table. */
    release: (descriptor: number) => void sockets.delete(descriptor),
  };
}

/**
 * Neither a zombie nor a kernel thread (PF_KTHREAD). Its command line would tell as well, but any user can make the read of one last for ever.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function mayHaveSockets(stat: string): boolean {
  const [state = '', , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[^ZX]$/.test(state) && (Number(flags) & 0x0020_0000) === 0;
}

/** Costs a third of reading its link. */
export function ownSocketInode(descriptor: number): number | null {
  try {
    const stat = fs.fstatSync(descriptor);
    return stat.isSocket() ? stat.ino : null;
  } catch {
    return null;
  }
}
