import type { Clock } from '../../lib/clock.ts';
import { hmacSha256, isSame, randomBytes, randomStartClock } from '../../lib/digest.ts';

/**
 * What a browser signs to prove possession of its key. A challenge is unpredictable and valid once, for a minute, in the process that issued
 * it, so signatures cannot be collected in advance.
 */
export interface Challenges {
  issue(): string;
  /** Whether this process issued it and it was not used yet. */
  isOurs(challenge: string): boolean;
  /** Called after a valid answer. False: it was used already. */
  use(challenge: string): boolean;
}

export const challengeMs = 60_000;

/** Challenges authenticate themselves, so they take no memory. */
export function createChallenges({ monotonic }: Pick<Clock, 'monotonic'>): Challenges {
  const key = randomBytes(32);
  const ticks = randomStartClock(monotonic);
  const used = new Map<string, number>();
  const isFresh = (issued: number) => ticks() - issued <= challengeMs;
  return {
    issue() {
      const text = `${ticks()}.${randomBytes(24).toString('base64url')}`;
      return `${text}.${hmacSha256(key, text).toString('base64url')}`;
    },
    isOurs(challenge) {
      const [, text = '', issued = '', seal = ''] = /^((\d{1,15})\.[\w-]{32})\.([\w-]{43})$/.exec(challenge) ?? [];
      if (!isSame(hmacSha256(key, text), Buffer.from(seal, 'base64url'))) return false;
      return isFresh(Number(issued)) && !used.has(challenge);
    },
    use(challenge) {
      if (used.has(challenge)) return false;
      for (const [old, issued] of used) if (!isFresh(issued)) used.delete(old);
      used.set(challenge, ticks());
      return true;
    },
  };
}
