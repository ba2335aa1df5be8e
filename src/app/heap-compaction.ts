import type { Clock } from '../lib/clock.ts';

const everyReadings = 500;
const everyMs = 5 * 60_000;
/** A decrease by this much means that many clients or entries are gone. */
const fallen = 1.3;

interface OwnMemory {
  /** Bytes. */
  resident(): number;
  collect(): void;
  /** Frees more memory, but takes longer. */
  collectThoroughly(): void;
}

/**
 * Called after every reading. Replaced readings often survive the small collections, and the runtime rarely does large ones: without this,
 * 5 listeners of everything take 20 MiB more, and memory grows for an hour. After a load spike (thousands of mounts or connections) the
 * remaining objects are scattered over the heap; a thorough collection compacts it. An idle service has no garbage.
 */
export function createHeapCompaction(clock: Pick<Clock, 'monotonic' | 'after'>, memory: OwnMemory): () => void {
  let readings = 0;
  let lastAt = clock.monotonic();
  let most = 0;
  return () => {
    readings += 1;
    if (readings < everyReadings || clock.monotonic() - lastAt < everyMs) return;
    readings = 0;
    lastAt = clock.monotonic();
    const resident = memory.resident();
    const isAfterSpike = most > resident * fallen;
    most = isAfterSpike ? 0 : Math.max(most, resident);
    // The response is sent first.
    clock.after(0, isAfterSpike ? memory.collectThoroughly : memory.collect);
  };
}
