import type { Clock } from '../../lib/clock.ts';

/** Counts in windows of fixed length. The result counts one more, or as many as it is given, and says whether that is within the limit. */
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
