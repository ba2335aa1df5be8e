import type { Clock } from '../../lib/clock.ts';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import { firstOfMost } from '../../lib/fair-share.ts';

/** Secrets with a value and a lifetime, in memory only. */
export interface ShortTokens<T> {
  /** `owner`: above the limit per owner the oldest secret is deleted. */
  issue(value: T, owner: string, lifeMs: number): string;
  find(secret: string): T | null;
  /** Valid for this long from now on. False: unknown or expired. */
  extend(secret: string, lifeMs: number): boolean;
}

interface Issued<T> {
  value: T;
  owner: string;
  ends: number;
}

export function createShortTokens<T>(
  { monotonic }: Pick<Clock, 'monotonic'>,
  { perOwner, inAll }: { perOwner: number; inAll: number },
): ShortTokens<T> {
  /** By hash: the duration of a lookup reveals nothing about the secret. */
  const issued = new Map<string, Issued<T>>();
  const keyOf = (secret: string) => sha256(secret).toString('base64url');

  const living = (secret: string): Issued<T> | null => {
    const found = issued.get(keyOf(secret));
    return found !== undefined && monotonic() < found.ends ? found : null;
  };

  const makeRoom = (owner: string) => {
    const now = monotonic();
    for (const [key, { ends }] of issued) if (ends <= now) issued.delete(key);
    const own = [...issued].filter(([, entry]) => entry.owner === owner);
    if (own.length >= perOwner) issued.delete(own[0]?.[0] ?? '');
    if (issued.size >= inAll) issued.delete(firstOfMost(issued, ([, entry]) => entry.owner)?.[0] ?? '');
  };

  return {
    issue(value, owner, lifeMs) {
      makeRoom(owner);
      const secret = randomBytes(32).toString('base64url');
      issued.set(keyOf(secret), { value, owner, ends: monotonic() + lifeMs });
      return secret;
    },
    find: (secret) => living(secret)?.value ?? null,
    extend(secret, lifeMs) {
      const found = living(secret);
      if (found === null) return false;
      found.ends = monotonic() + lifeMs;
      return true;
    },
  };
}
