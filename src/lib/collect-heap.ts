/** A full garbage collection of this thread, synchronously: about 30 ms. */
const collect = (): void => Bun.gc(true);

/**
 * The same when the thread is idle; it also discards compiled code, which is scattered over the heap and is compiled again on demand, for
 * about 400 ms of CPU. The runtime marks it deprecated without a replacement; without it the other one is used.
 */
const collectThoroughly = (): void => (Bun.shrink === undefined ? collect() : Bun.shrink());

/** Of this process, for `createHeapCompaction`. */
export const ownMemory = { resident: (): number => process.memoryUsage.rss(), collect, collectThoroughly };
