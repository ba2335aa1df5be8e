/** Collected metrics, encoded for sending. */
export interface Batch {
  body: Uint8Array<ArrayBuffer>;
  points: number;
}

/** Batches that wait to be sent, oldest first. When the queue is full the oldest batch is dropped. */
export interface WaitingBatches {
  add(batch: Batch): void;
  /** null: empty. */
  first(): Batch | null;
  /** Removes a batch that was sent or refused; it may have been dropped already. */
  remove(batch: Batch): void;
  count(): number;
  /** Number of dropped batches. */
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
      // The newest batch stays, whatever its size.
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
