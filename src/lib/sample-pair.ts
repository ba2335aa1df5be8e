import type { Clock } from './clock.ts';

/** Two samples of something that counts, and the seconds between them. */
export interface Pair<S> {
  before: S;
  after: S;
  seconds: number;
}

/** An older sample says nothing about now. Longer than the 10 s of those who look regularly: two samples would cost them twice as much, and say less. */
const oldestMs = 15_000;
const apartMs = 100;

/**
 * Takes samples for rates: the last one and one now, at once; where the last is too old, or there is none, two of now a little
 * apart. What counts more finely than that may use pairs that are closer.
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
