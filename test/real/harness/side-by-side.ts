/**
 * Tests that mostly wait run in parallel, but only a few of a file: each starts a service, and twenty that start at once make
 * a small machine unresponsive.
 *
 *     test.concurrent('…', beside(async () => { … }), queued);
 */
const most = 4;

/** For tests that may have to wait in the queue. */
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
