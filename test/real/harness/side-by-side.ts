/**
 * Tests that mostly wait run beside each other, but only so many of a file: each has a service of its own, and twenty that start at once keep
 * a small machine from answering anybody.
 *
 *     test.concurrent('…', beside(async () => { … }), queued);
 */
const most = 4;

/** For tests that may have to wait for their turn. */
export const queued = 900_000;

export function createSideBySide() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return <Given extends unknown[]>(work: (...given: Given) => Promise<void>) =>
    async (...given: Given): Promise<void> => {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
      try {
        await work(...given);
      } finally {
        const next = waiting.shift();
        if (next === undefined) running--;
        else next();
      }
    };
}
