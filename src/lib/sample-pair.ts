import type { Clock } from './clock.ts';

/** Two samples of counters, and the seconds between them. */
export interface Pair<S> {
  before: S;
  after: S;
  seconds: number;
}

/** The maximum age of the previous sample. Above the 30 s of regular readers: two samples would double their cost and be less accurate. */
export const oldestMs = 35_000;
const apartMs = 100;

/**
 * Takes samples for rates: the previous one and a new one, synchronously; without a recent previous one, two new ones a little
 * apart. Counters with a finer resolution may use closer pairs.
 */
export function createPairs<S>(clock: Clock, take: () => S): () => Pair<S> | Promise<Pair<S>> {
  let last: { sample: S; at: number } | null = null;

  const sampleNow = () => ({ sample: take(), at: clock.monotonic() });

  const pairWith = (before: { sample: S; at: number }): Pair<S> => {
    const now = sampleNow();
    last = now;
    return { before: before.sample, after: now.sample, seconds: (now.at - before.at) / 1000 };
  };

  return () => {
    const age = last === null ? Number.POSITIVE_INFINITY : clock.monotonic() - last.at;
    if (last !== null && age >= apartMs && age <= oldestMs) return pairWith(last);
    const first = last !== null && age < apartMs ? last : sampleNow();
    return new Promise((resolve) => {
      clock.after(apartMs, () => resolve(pairWith(first)));
    });
  };
}
