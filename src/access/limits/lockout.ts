import type { Clock } from '../../lib/clock.ts';
import { budgets, networkOf } from './budgets.ts';

/** Counts wrong tokens per address. Right ones are never asked here, so nobody can be locked out by another's mistakes. */
export interface Lockout {
  /** Notes a wrong token. null: this one was just wrong; else further wrong ones are not looked at for a while. */
  wrong(address: string): { retryAfterSeconds: number; justShut: boolean } | null;
}

const { allowed, windowMs, addresses: maxAddresses } = budgets.unauthenticated.wrongSecrets;

export function createLockout({ monotonic }: Pick<Clock, 'monotonic'>): Lockout {
  const counts = new Map<string, { since: number; count: number }>();
  return {
    wrong(address) {
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
