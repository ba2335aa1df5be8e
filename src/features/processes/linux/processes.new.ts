import type { Files } from '../../../host/linux/files.ts';

/** Finds the processes that are new since the last look. */
export interface Arrivals {
  find(known: Known): number[] | Promise<number[]>;
  /** This one is there, but we may not look at it. */
  refuse(pid: number): void;
  /** Whether /proc keeps processes of others from us. */
  hidesSome(): boolean;
  /** Whether there is a /proc at all; only after the first look. */
  isThere(): boolean;
  close(): void;
}

export interface Known {
  has(pid: number): boolean;
  size: number;
}

/** Listing is the only way to find those that got their number out of turn. */
const listAgainMs = 30_000;
const confirmationsNeeded = 3;

/**
 * Listing /proc costs as much as asking every process whether it ran. The kernel hands out numbers in turn and tells the last
 * one: where it is the same, nobody is new; where it is not, trying the numbers in between does as well, if `exists` can tell
 * and if they were seen to come in turn. A process with a number out of turn ends that trust.
 */
export function createArrivals(
  files: Files,
  monotonic: () => number,
  exists: ((pid: number) => boolean) | null,
): Arrivals {
  const loadavg = files.short('/proc/loadavg');
  const buffer = Buffer.allocUnsafeSlow(128);
  let refused = new Set<number>();
  let listed = { count: 0, first: false };
  let listAt = 0;
  let confirmations = 0;
  let contradicted = false;
  /** The last number handed out at the last look, and at the one before: a process may have its number, but not be there yet. */
  let turns: { last: number | null; before: number | null } = { last: null, before: null };

  const lastNumber = () => (exists === null ? null : parseLastNumber(buffer, loadavg.read(buffer) ?? 0));

  const tryNumbers = (after: number, until: number, known: Known) => {
    const found: number[] = [];
    for (let pid = after + 1; pid <= until; pid += 1) if (!known.has(pid) && exists?.(pid)) found.push(pid);
    return found;
  };

  const list = async (after: number | null, known: Known) => {
    const pids = (await files.names('/proc')).map(Number).filter((pid) => pid > 0);
    const until = lastNumber();
    const present = new Set(pids);
    refused = new Set([...refused].filter((pid) => present.has(pid)));
    listed = { count: pids.length, first: present.has(1) };
    const arrived = pids.filter((pid) => !known.has(pid) && !refused.has(pid));
    if (after !== null && until !== null && until >= after) {
      const inTurn = arrived.every((pid) => pid > after && pid <= until);
      confirmations = inTurn ? confirmations + arrived.length : 0;
      contradicted = inTurn ? contradicted && confirmations < confirmationsNeeded : true;
    }
    return arrived;
  };

  return {
    find(known) {
      const now = monotonic();
      const until = lastNumber();
      const after = turns.before;
      turns = { last: until, before: turns.last };
      if (after !== null && until !== null && now < listAt && !contradicted) {
        if (until === after) return [];
        const trusted = confirmations >= confirmationsNeeded;
        // Trying more numbers than there are processes would take longer than listing them.
        if (trusted && until > after && until - after <= known.size) return tryNumbers(after, until, known);
      }
      listAt = now + listAgainMs;
      return list(after, known);
    },
    refuse: (pid) => void refused.add(pid),
    hidesSome: () => refused.size > 0 || !listed.first,
    isThere: () => listed.count > 0,
    close: loadavg.close,
  };
}

/** `0.20 0.18 0.12 1/80 11206`; a system that does not tell says 0. */
function parseLastNumber(loadavg: Buffer, length: number): number | null {
  return Number(loadavg.toString('latin1', loadavg.lastIndexOf(0x20, length - 1) + 1, length)) || null;
}
