import type { Clock } from '../../lib/clock.ts';
import { budgets, networkOf } from './budgets.ts';

const { allowed, windowMs, addresses: maxAddresses } = budgets.unauthenticated.wrongSecrets;

export type Lockout = ReturnType<typeof createLockout>;

/** Counts wrong tokens per address. Valid tokens are not checked here, so no client is locked out by the mistakes of another. */
export function createLockout({ monotonic }: Pick<Clock, 'monotonic'>) {
  const counts = new Map<string, { since: number; count: number }>();
  return {
    /** Counts a wrong token. null: below the limit; otherwise further wrong tokens are refused unchecked for a while. */
    wrong(address: string): { retryAfterSeconds: number; justShut: boolean } | null {
      const key = networkOf(address);
      const now = monotonic();
      const entry = counts.get(key);
      const current = entry === undefined || now - entry.since >= windowMs ? { since: now, count: 0 } : entry;
      current.count += 1;
      // The window of an address that is shut out begins when it is: a minute, whatever it sends meanwhile.
      if (current.count === allowed + 1) current.since = now;
      counts.delete(key);
      counts.set(key, current);
      if (counts.size > maxAddresses) counts.delete(counts.keys().next().value ?? key);
      if (current.count <= allowed) return null;
      const retryAfterSeconds = Math.max(1, Math.ceil((current.since + windowMs - now) / 1000));
      return { retryAfterSeconds, justShut: current.count === allowed + 1 };
    },
  };
}
