import type { Clock } from '../../lib/clock.ts';

interface Patience {
  /** So long an answer, or that there was none, holds. */
  freshMs: number;
  /** Nobody waits longer for a new one; it is in one of the next readings. */
  waitMs: number;
}

/**
 * What is asked in another thread, once for all who want to know, and not again for a while. Whoever asks gets the last answer where a new one
 * takes too long; null: there is none, yet or at all.
 */
export function keptAnswer<T>(
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
    const { promise: tooLong, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(waitMs, resolve);
    await Promise.race([asking, tooLong]);
    cancel();
    return last?.value ?? null;
  };
}
