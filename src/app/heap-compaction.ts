import type { Clock } from '../lib/clock.ts';

const everyReadings = 100;
/** Without a reading for this long, or anyway after the longer time. */
const quietMs = 500;
const patienceMs = 30_000;
const firstPauseMs = 1000;
const longestPauseMs = 5 * 60_000;
/** A decrease by this much means that many clients or entries are gone. */
const fallen = 1.5;

interface OwnMemory {
  /** Bytes. */
  resident(): number;
  /** Unmaps what was read of the program file; what is used again costs about 2 ms. */
  unmapProgram(): Promise<void>;
  collect(): void;
  /** Frees more memory, but takes longer. */
  collectThoroughly(): void;
}

/**
 * The result is called after every reading. Most of the program file is used once, to start or to load a module, and replaced readings often survive the
 * small collections, while the runtime rarely does large ones: without this, 5 listeners of everything take 20 MiB more, and memory grows for
 * an hour. After a load spike (thousands of mounts or connections) the remaining objects are scattered over the heap; a thorough collection
 * compacts it. It is done after the start, and then when readings pause, at growing distances; an idle service has no garbage.
 */
export function createHeapCompaction(clock: Pick<Clock, 'monotonic' | 'after'>, memory: OwnMemory): () => void {
  let readings = 0;
  let readAt = clock.monotonic();
  let nextAt = readAt;
  let pauseMs = firstPauseMs;
  let most = 0;
  let isAfterSpike = false;

  const compact = async () => {
    nextAt = clock.monotonic() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    if (readings >= everyReadings) {
      if (isAfterSpike) memory.collectThoroughly();
      else memory.collect();
      readings = 0;
      isAfterSpike = false;
    }
    await memory.unmapProgram();
    const resident = memory.resident();
    isAfterSpike ||= most > resident * fallen;
    most = isAfterSpike ? 0 : Math.max(most, resident);
  };
  const whenQuiet = (latest: number) =>
    void clock.after(quietMs, () => {
      const now = clock.monotonic();
      if (now - readAt < quietMs && now < latest) whenQuiet(latest);
      else void compact();
    });
  const arrange = () => {
    nextAt = Number.POSITIVE_INFINITY;
    whenQuiet(readAt + patienceMs);
  };

  arrange();
  return () => {
    readings += 1;
    readAt = clock.monotonic();
    if (readAt >= nextAt) arrange();
  };
}
