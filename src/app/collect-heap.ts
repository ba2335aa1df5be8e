/** Looks through all memory of this thread for what is used no more, and waits for it: some 30 ms. */
const collect = (): void => Bun.gc(true);

/**
 * The same as soon as there is nothing to do, and gives up what was made of the code for speed, which lies scattered between everything else. That is made
 * again as it is needed, for some 400 ms of CPU. The runtime calls it deprecated and has nothing in its place; where it is missing the other one has to do.
 */
const collectThoroughly = (): void => (Bun.shrink === undefined ? collect() : Bun.shrink());

/** Of this process, for `createTidying`. */
export const ownMemory = { resident: (): number => process.memoryUsage.rss(), collect, collectThoroughly };
