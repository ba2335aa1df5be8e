import type { Clock } from '../lib/clock.ts';

const everyReadings = 500;
const everyMs = 5 * 60_000;

/**
 * To be called after every reading. What a reading replaces has often outlived the small collections of garbage, and the runtime is in no hurry with the
 * large ones: without them 5 listeners of everything take 20 MiB more, and memory grows for an hour. A service that nobody asks has none.
 */
export function createTidying(clock: Pick<Clock, 'monotonic' | 'after'>, collect: () => void): () => void {
  let readings = 0;
  let lastAt = clock.monotonic();
  return () => {
    readings += 1;
    if (readings < everyReadings || clock.monotonic() - lastAt < everyMs) return;
    readings = 0;
    lastAt = clock.monotonic();
    // Whoever waits for this reading gets it first.
    clock.after(0, collect);
  };
}
