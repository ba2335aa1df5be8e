/** What was collected, ready to be sent. */
export interface Batch {
  body: Uint8Array<ArrayBuffer>;
  points: number;
}

/** Batches that wait to be sent, oldest first. There is an upper bound: what was collected first is given up first. */
export interface WaitingBatches {
  add(batch: Batch): void;
  /** null: nothing waits. */
  first(): Batch | null;
  /** Takes one away that was sent or refused; it may be given up already. */
  remove(batch: Batch): void;
  count(): number;
  /** How many were given up so far. */
  givenUp(): number;
}

/** An hour of a large machine at one batch a minute, or some four hours of an ordinary one. */
const mostBytes = 2 * 1024 * 1024;

export function createWaiting(limit = mostBytes): WaitingBatches {
  const batches: Batch[] = [];
  let bytes = 0;
  let givenUp = 0;
  const take = (index: number) => {
    const [batch] = batches.splice(index, 1);
    bytes -= batch?.body.length ?? 0;
  };
  return {
    add(batch) {
      batches.push(batch);
      bytes += batch.body.length;
      // The newest one stays, however large it is.
      while (bytes > limit && batches.length > 1) {
        take(0);
        givenUp += 1;
      }
    },
    first: () => batches[0] ?? null,
    remove(batch) {
      const index = batches.indexOf(batch);
      if (index !== -1) take(index);
    },
    count: () => batches.length,
    givenUp: () => givenUp,
  };
}
