import type { Clock } from '../lib/clock.ts';

const everyReadings = 500;
const everyMs = 5 * 60_000;
/** So much less memory than there was: many were here, and have left. */
const fallen = 1.3;

/** Of this process. */
interface OwnMemory {
  /** Bytes. */
  resident(): number;
  collect(): void;
  /** Leaves less, but costs more. */
  collectThoroughly(): void;
}

/**
 * To be called after every reading. What a reading replaces has often outlived the small collections of garbage, and the runtime is in no hurry with the
 * large ones: without them 5 listeners of everything take 20 MiB more, and memory grows for an hour. What is left after a storm (thousands of mounts or
 * connections) lies scattered over the memory that the storm took; a thorough collection brings it together. A service that nobody asks has no garbage.
 */
export function createTidying(clock: Pick<Clock, 'monotonic' | 'after'>, memory: OwnMemory): () => void {
  let readings = 0;
  let lastAt = clock.monotonic();
  let most = 0;
  return () => {
    readings += 1;
    if (readings < everyReadings || clock.monotonic() - lastAt < everyMs) return;
    readings = 0;
    lastAt = clock.monotonic();
    const resident = memory.resident();
    const isAfterStorm = most > resident * fallen;
    most = isAfterStorm ? 0 : Math.max(most, resident);
    // Whoever waits for this reading gets it first.
    clock.after(0, isAfterStorm ? memory.collectThoroughly : memory.collect);
  };
}
