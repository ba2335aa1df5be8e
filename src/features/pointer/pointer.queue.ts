import type { ActionParts } from '../../core/action.ts';
import { onInputStop, withInput } from '../../core/input-guard.ts';
import { ServiceError } from '../../lib/errors.ts';

export interface PointerRequest {
  tokenId: string;
  signal: AbortSignal;
}

const mostWaiting = 100;
const mostOfOne = 50;

/** Runs requests one after the other, so that a move and its click do not mix with those of another caller. Whatever stops input stops them. */
export function createPointerQueue(parts: Pick<ActionParts, 'controlPause' | 'prompts'>) {
  const waiting = new Map<string, number>();
  let stopping = new AbortController();
  const unfollow = onInputStop(parts, (why) => {
    stopping.abort(new ServiceError('conflict', `${why}; the request was not completed`));
    stopping = new AbortController();
  });
  let count = 0;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const add = (tokenId: string, change: 1 | -1) => {
    const own = (waiting.get(tokenId) ?? 0) + change;
    count += change;
    if (own === 0) waiting.delete(tokenId);
    else waiting.set(tokenId, own);
  };

  return {
    /** Rejects with rate_limited when too much is queued, and with the reason of the signal when it is aborted while queued. */
    async take<T>(wanted: PointerRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const { tokenId } = wanted;
      wanted.signal.throwIfAborted();
      if (count >= mostWaiting || (waiting.get(tokenId) ?? 0) >= mostOfOne) {
        throw new ServiceError('rate_limited', 'Too many moves and clicks are queued; send fewer');
      }
      const signal = AbortSignal.any([wanted.signal, stopping.signal]);
      add(tokenId, 1);
      try {
        return await enqueue(async () => {
          wanted.signal.throwIfAborted();
          if (isClosed) throw new ServiceError('failed', 'The service is stopping; the pointer was not moved');
          return await withInput(parts, async () => {
            signal.throwIfAborted();
            return await work(signal);
          });
        });
      } finally {
        add(tokenId, -1);
      }
    },
    /** Internal work between requests. */
    between: (work: () => Promise<void>) => void enqueue(work).catch(() => {}),
    /** Rejects queued requests; resolves when nothing runs. */
    async close() {
      isClosed = true;
      unfollow();
      await last;
    },
  };
}
