import { ServiceError } from './errors.ts';

type Buckets = ReturnType<typeof createBuckets>;

/** Far above the number of tokens; the least recently used is dropped first. */
const maxBuckets = 1024;

/** A token bucket for each key: a burst, then the refill rate. */
export function createBuckets({ burst, perSecond }: { burst: number; perSecond: number }, monotonic: () => number) {
  const buckets = new Map<string, { left: number; at: number }>();
  const fillOf = (key: string, now: number) => {
    const bucket = buckets.get(key);
    return bucket === undefined ? burst : Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
  };
  return {
    /** Whether a token is available, without taking it. */
    has: (key: string): boolean => fillOf(key, monotonic()) >= 1,
    /** Takes this many tokens, or none. null: taken; else the seconds until they are available. */
    refuse(key: string, count = 1): number | null {
      const now = monotonic();
      const filled = fillOf(key, now);
      const may = filled >= count;
      buckets.delete(key);
      buckets.set(key, { left: may ? filled - count : filled, at: now });
      if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value ?? key);
      return may ? null : Math.ceil(((count - filled) / perSecond) * 10) / 10;
    },
  };
}

/** Takes a token, or throws rate_limited with this sentence. */
export function takeOrRefuse(buckets: Pick<Buckets, 'refuse'>, key: string, sentence: string): void {
  const wait = buckets.refuse(key);
  if (wait !== null) throw new ServiceError('rate_limited', sentence, { retryAfterSeconds: Math.ceil(wait) });
}
