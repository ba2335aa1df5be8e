/** Work that comes from many at once, a little in each turn of the event loop, so that nobody else is held up by it. */
export interface Pace<K> {
  /** At once while this turn has time, else in a later turn: in order for each key, in turns for all. False: too much of it waits already. */
  run(key: K, size: number, work: () => void): boolean;
  /** Drops what waits. */
  forget(key: K): void;
}

export interface PaceParts {
  turnMs: number;
  /** How much may wait for one key, and in all. */
  most: { each: number; size: number };
  monotonic(): number;
  /** In the next turn, after others had theirs. */
  soon(callback: () => void): void;
}

interface Piece {
  size: number;
  work(): void;
}

export function createPace<K>({ turnMs, most, monotonic, soon }: PaceParts): Pace<K> {
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

  /** One piece of each. */
  const round = () => {
    for (const [key, pieces] of waiting) {
      if (spentMs >= turnMs) return;
      // To the end of the line, so that the next turn begins with the others.
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
