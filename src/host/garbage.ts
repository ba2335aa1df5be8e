/** Looks through all memory of this thread for what is used no more, and waits for it: some 30 ms. */
export const collectGarbage = (): void => Bun.gc(true);
