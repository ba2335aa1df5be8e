import type { Clock } from '../../lib/clock.ts';
import { hmacSha256, isSame, randomBytes } from '../../lib/digest.ts';

/**
 * What a browser has to sign to show that it holds its key. Nobody can guess one, each is good once, for a minute, and only with the
 * run of the service that gave it out, so signatures that somebody collected beforehand are worth nothing.
 */
export interface Challenges {
  issue(): string;
  /** Whether it is one of ours that was not used yet. */
  isOurs(challenge: string): boolean;
  /** Once it was answered rightly. False: somebody was faster. */
  use(challenge: string): boolean;
}

export const challengeMs = 60_000;

/** They carry their own proof, so strangers who ask for millions of them cost no memory. */
export function createChallenges({ monotonic }: Pick<Clock, 'monotonic'>): Challenges {
  const key = randomBytes(32);
  const used = new Map<string, number>();
  const isFresh = (issued: number) => monotonic() - issued <= challengeMs;
  return {
    issue() {
      const text = `${Math.floor(monotonic())}.${randomBytes(24).toString('base64url')}`;
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
      used.set(challenge, monotonic());
      return true;
    },
  };
}
