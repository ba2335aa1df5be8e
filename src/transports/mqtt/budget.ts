import type { Clock } from '../../lib/clock.ts';

/** Counts in windows of fixed length. The returned function adds one, or the given amount, and returns whether that is within the limit. */
export function createBudget(
  clock: Pick<Clock, 'monotonic'>,
  { most, withinMs }: { most: number; withinMs: number },
): (cost?: number) => boolean {
  let since = clock.monotonic();
  let count = 0;
  return (cost = 1) => {
    const now = clock.monotonic();
    if (now - since >= withinMs) {
      since = now;
      count = 0;
    }
    count += cost;
    return count <= most;
  };
}
