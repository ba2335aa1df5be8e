import { ServiceError } from './errors.ts';

/** A token bucket for each key: a burst, then the refill rate. */
export interface Buckets {
  /** Takes a token. null: taken; else the seconds until one is available. */
  refuse(key: string): number | null;
  /** Takes this many, below zero if need be: the next ones wait longer. */
  charge(key: string, count: number): void;
  /** Whether a token is available, without taking it. */
  has(key: string): boolean;
}

/** Far above the number of tokens; the least recently used is dropped first. */
const maxBuckets = 1024;

export function createBuckets(
  { burst, perSecond }: { burst: number; perSecond: number },
  monotonic: () => number,
): Buckets {
  const buckets = new Map<string, { left: number; at: number }>();
  const fillOf = (key: string, now: number) => {
    const bucket = buckets.get(key);
    return bucket === undefined ? burst : Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
  };
  return {
    has: (key) => fillOf(key, monotonic()) >= 1,
    charge(key, count) {
      const now = monotonic();
      buckets.set(key, { left: fillOf(key, now) - count, at: now });
    },
    refuse(key) {
      const now = monotonic();
      const filled = fillOf(key, now);
      const may = filled >= 1;
      buckets.delete(key);
      buckets.set(key, { left: may ? filled - 1 : filled, at: now });
      if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value ?? key);
      return may ? null : Math.ceil(((1 - filled) / perSecond) * 10) / 10;
    },
  };
}

/** Takes a token, or throws rate_limited with this sentence. */
export function takeOrRefuse(buckets: Pick<Buckets, 'refuse'>, key: string, sentence: string): void {
  const wait = buckets.refuse(key);
  if (wait !== null) throw new ServiceError('rate_limited', sentence, { retryAfterSeconds: Math.ceil(wait) });
}
