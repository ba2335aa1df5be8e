import type { Files } from '../../../host/linux/files.ts';

export interface Known {
  has(pid: number): boolean;
  size: number;
}

/** Only a listing finds processes with a PID out of sequence. */
const listAgainMs = 30_000;
const confirmationsNeeded = 3;

/**
 * Finds the processes that are new since the last call. Listing /proc costs as much as checking every process for activity. The kernel assigns PIDs in sequence and reports the last one:
 * if it is unchanged, no process is new; otherwise `exists` tests the PIDs in between, once they are known to be sequential. A
 * process with a PID out of sequence ends that.
 */
export function createArrivals(files: Files, monotonic: () => number, exists: ((pid: number) => boolean) | null) {
  const loadavg = files.short('/proc/loadavg');
  const buffer = Buffer.allocUnsafeSlow(128);
  let refused = new Set<number>();
  let listed = { count: 0, first: false };
  let listAt = 0;
  let confirmations = 0;
  let contradicted = false;
  /** The last PID at the last call and at the one before: a process may have a PID, but not be visible yet. */
  let lastPids: { last: number | null; before: number | null } = { last: null, before: null };

  const readLastPid = () => (exists === null ? null : parseLastPid(buffer, loadavg.read(buffer) ?? 0));

  const testPids = (after: number, until: number, known: Known) => {
    const found: number[] = [];
    for (let pid = after + 1; pid <= until; pid += 1) if (!known.has(pid) && exists?.(pid)) found.push(pid);
    return found;
  };

  const list = async (after: number | null, known: Known) => {
    const pids = (await files.names('/proc')).map(Number).filter((pid) => pid > 0);
    const until = readLastPid();
    const present = new Set(pids);
    refused = new Set([...refused].filter((pid) => present.has(pid)));
    listed = { count: pids.length, first: present.has(1) };
    const arrived = pids.filter((pid) => !known.has(pid) && !refused.has(pid));
    if (after !== null && until !== null && until >= after) {
      const isSequential = arrived.every((pid) => pid > after && pid <= until);
      confirmations = isSequential ? confirmations + arrived.length : 0;
      contradicted = isSequential ? contradicted && confirmations < confirmationsNeeded : true;
    }
    return arrived;
  };

  return {
    find(known: Known): number[] | Promise<number[]> {
      const now = monotonic();
      const until = readLastPid();
      const after = lastPids.before;
      lastPids = { last: until, before: lastPids.last };
      if (after !== null && until !== null && now < listAt && !contradicted) {
        if (until === after) return [];
        const trusted = confirmations >= confirmationsNeeded;
        // Testing more PIDs than there are processes takes longer than listing them.
        if (trusted && until > after && until - after <= known.size) return testPids(after, until, known);
      }
      listAt = now + listAgainMs;
      return list(after, known);
    },
    /** This process exists, but is not readable. */
    refuse: (pid: number) => void refused.add(pid),
    /** Whether /proc hides processes of other users. */
    hidesSome: () => refused.size > 0 || !listed.first,
    /** Whether there is a /proc at all; valid after the first call. */
    isThere: () => listed.count > 0,
    close: loadavg.close,
  };
}

/** `0.20 0.18 0.12 1/80 11206`; null: 0, not reported. */
function parseLastPid(loadavg: Buffer, length: number): number | null {
  return Number(loadavg.toString('latin1', loadavg.lastIndexOf(0x20, length - 1) + 1, length)) || null;
}
