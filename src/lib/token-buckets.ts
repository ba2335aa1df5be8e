/** How often each of many may do something: so many at once, and then as fast as its bucket fills again. */
export interface Buckets {
  /** Takes one. null: there was one; else the seconds until there is. */
  refuse(key: string): number | null;
  /** Whether there is one, without taking it. */
  has(key: string): boolean;
}

/** Many more than there can be tokens; the one that was used least lately goes first. */
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
