import type { Clock } from './clock.ts';
import { settledWithin } from './clock.ts';

interface Patience {
  /** Cache time of a result or a failure. */
  freshMs: number;
  /** Maximum wait for a new result; a later one is in one of the next readings. */
  waitMs: number;
}

/**
 * A query in another thread, shared by all callers and cached for a while. Callers get the last result where a new one
 * takes too long; null: none yet, or none at all.
 */
export function cacheResult<T>(
  clock: Clock,
  { freshMs, waitMs }: Patience,
  ask: () => Promise<T>,
): () => Promise<T | null> {
  let last: { value: T | null; at: number } | null = null;
  let asking: Promise<void> | null = null;

  const askOnce = async () => {
    const value = await ask().catch(() => null);
    last = { value, at: clock.monotonic() };
    asking = null;
  };
  return async () => {
    if (last !== null && clock.monotonic() - last.at < freshMs) return last.value;
    asking ??= askOnce();
    await settledWithin(clock, asking, waitMs);
    return last?.value ?? null;
  };
}
