import { ServiceError } from '../lib/errors.ts';

/**
 * A concurrency limit shared fairly between tokens. A token may hold as many places as are free: the first one gets half of them, the next half of the
 * rest. So no token can block the others.
 */
export interface Places {
  /** Runs the work in a place. Throws rate_limited if there is none for this token. */
  run<T>(tokenId: string, work: () => Promise<T>): Promise<T>;
  /** A place, or as many as given, and the function that frees them; null: there are too few for this token. */
  take(tokenId: string, count?: number): (() => void) | null;
  /** The error for a caller that gets no place. */
  full(): ServiceError;
}

/** `message`: of that error. */
export function createPlaces(most: number, message: string, retryAfterSeconds = 1): Places {
  const held: string[] = [];
  const full = () => new ServiceError('rate_limited', message, { retryAfterSeconds });
  const take: Places['take'] = (tokenId, count = 1) => {
    const own = held.filter((holder) => holder === tokenId).length;
    if (own + count > Math.ceil((most - held.length + own) / 2)) return null;
    const given = Array.from({ length: count }, () => held.push(tokenId));
    return () => {
      for (const _place of given) held.splice(held.indexOf(tokenId), 1);
    };
  };
  return {
    take,
    full,
    async run(tokenId, work) {
      const free = take(tokenId);
      if (free === null) throw full();
      try {
        return await work();
      } finally {
        free();
      }
    },
  };
}
