/** Runs work of many clients in slices per turn of the event loop, so that other work is not delayed. */
export interface WorkQueue<K> {
  /** Runs at once while this turn has time, else in a later turn: in order per key, round-robin over keys. False: the queue is full. */
  run(key: K, size: number, work: () => void): boolean;
  forget(key: K): void;
}

export interface WorkQueueParts {
  turnMs: number;
  /** Limits for one key, and in all. */
  most: { each: number; size: number };
  monotonic(): number;
  /** Runs this in the next turn, after other work. */
  soon(callback: () => void): void;
}

interface Piece {
  size: number;
  work(): void;
}

export function createWorkQueue<K>({ turnMs, most, monotonic, soon }: WorkQueueParts): WorkQueue<K> {
  const waiting = new Map<K, Piece[]>();
  let size = 0;
  let spentMs = 0;
  let scheduled = false;

  const perform = (work: () => void) => {
    const start = monotonic();
    work();
    spentMs += monotonic() - start;
    if (scheduled) return;
    scheduled = true;
    soon(nextTurn);
  };

  const nextTurn = () => {
    scheduled = false;
    spentMs = 0;
    while (waiting.size > 0 && spentMs < turnMs) round();
    if (waiting.size === 0 || scheduled) return;
    scheduled = true;
    soon(nextTurn);
  };

  const round = () => {
    for (const [key, pieces] of waiting) {
      if (spentMs >= turnMs) return;
      // Moves the key to the end, so that the next turn starts with the others.
      waiting.delete(key);
      const piece = pieces.shift();
      if (pieces.length > 0) waiting.set(key, pieces);
      if (piece === undefined) continue;
      size -= piece.size;
      perform(piece.work);
      if (waiting.size === 0) return;
    }
  };

  return {
    run(key, pieceSize, work) {
      const mine = waiting.get(key);
      if (mine === undefined && spentMs < turnMs) {
        perform(work);
        return true;
      }
      if ((mine?.length ?? 0) >= most.each || size + pieceSize > most.size) return false;
      size += pieceSize;
      if (mine === undefined) waiting.set(key, [{ size: pieceSize, work }]);
      else mine.push({ size: pieceSize, work });
      return true;
    },
    forget(key) {
      for (const piece of waiting.get(key) ?? []) size -= piece.size;
      waiting.delete(key);
    },
  };
}
