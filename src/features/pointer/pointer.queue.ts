import { ServiceError } from '../../lib/errors.ts';

/** A move and the click after it must not mix with those of somebody else, so callers take turns. */
export interface PointerTurns {
  /** Rejects with rate_limited when too much waits already, and with the reason of the signal when it is aborted before its turn. */
  take<T>(wanted: { tokenId: string; signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
  /** For our own housekeeping, when nobody is waiting for a turn. */
  between(work: () => Promise<void>): void;
  /** Refuses what waits; resolves when nothing is under way. */
  close(): Promise<void>;
}

const mostWaiting = 100;
/** So that one client cannot keep the others out. */
const mostOfOne = 50;

export function createPointerTurns(): PointerTurns {
  const waiting = new Map<string, number>();
  let count = 0;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const add = (tokenId: string, change: 1 | -1) => {
    const own = (waiting.get(tokenId) ?? 0) + change;
    count += change;
    if (own === 0) waiting.delete(tokenId);
    else waiting.set(tokenId, own);
  };

  return {
    async take({ tokenId, signal }, work) {
      signal.throwIfAborted();
      if (count >= mostWaiting || (waiting.get(tokenId) ?? 0) >= mostOfOne) {
        throw new ServiceError('rate_limited', 'Too many moves and clicks are waiting for their turn; send fewer');
      }
      add(tokenId, 1);
      try {
        return await inTurn(async () => {
          signal.throwIfAborted();
          if (isClosed) throw new ServiceError('failed', 'The service is stopping; the pointer was not moved');
          return await work();
        });
      } finally {
        add(tokenId, -1);
      }
    },
    between: (work) => void inTurn(work).catch(() => {}),
    async close() {
      isClosed = true;
      await last;
    },
  };
}
