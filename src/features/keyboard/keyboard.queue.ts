import type { ActionParts } from '../../core/action.ts';
import { onInputStop, withInput } from '../../core/input-guard.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';

export type KeyboardQueue = ReturnType<typeof createKeyboardQueue>;

export interface QueueRequest {
  tokenId: string;
  /** Minimum duration, ms. */
  takesMs: number;
  signal: AbortSignal;
}

/** Limit of the delays of one request, and of all queued requests of one token, ms. */
export const mostMs = 60_000;
/** Limit of all queued requests, ms. */
const mostTogetherMs = 120_000;
/** Limit of one request on a slow desktop, ms. */
const longestRunMs = 300_000;
const mostWaiting = 200;
/** Limit of one token, so that the others can type. */
const mostOfOne = 100;

/** Runs typing requests one after the other, so that keys of two callers do not mix, with limits on their time. */
export function createKeyboardQueue(clock: Clock) {
  const stopping = new AbortController();
  const waiting = new Set<QueueRequest>();
  let cancelling = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const waitingMs = (tokenId: string | null) =>
    [...waiting].reduce((sum, one) => sum + (tokenId === null || one.tokenId === tokenId ? one.takesMs : 0), 0);

  const refuse = ({ tokenId, takesMs }: QueueRequest) => {
    const own = [...waiting].filter((one) => one.tokenId === tokenId).length;
    if (waiting.size >= mostWaiting || own >= mostOfOne) {
      throw new ServiceError('rate_limited', `${waiting.size} keys and texts are waiting to be typed; send fewer`);
    }
    if (waitingMs(tokenId) + takesMs > mostMs || waitingMs(null) + takesMs > mostTogetherMs) {
      throw new ServiceError('rate_limited', 'Other texts are being typed; wait for them, or send KEYBOARD_CANCEL');
    }
  };

  const runWithLimit = async (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    signal.throwIfAborted();
    const late = new AbortController();
    const cancelLate = clock.after(longestRunMs, () =>
      late.abort(new ServiceError('failed', 'Typing took longer than 5 minutes; not everything was typed')),
    );
    await work(AbortSignal.any([signal, late.signal])).finally(cancelLate);
  };

  return {
    /** Rejects with rate_limited when too much is queued, and with a ServiceError when it is stopped while queued or running. */
    async take(wanted: QueueRequest, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      wanted.signal.throwIfAborted();
      refuse(wanted);
      waiting.add(wanted);
      const signal = AbortSignal.any([wanted.signal, cancelling.signal, stopping.signal]);
      const result = enqueue(() => runWithLimit(signal, work));
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      // A queued request is rejected at once; a running one after its keys are released.
      const isWaiting = () => waiting.values().next().value !== wanted;
      const abortWaiting = () => isWaiting() && abort();
      signal.addEventListener('abort', abortWaiting);
      try {
        await Promise.race([result, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', abortWaiting);
        result.catch(() => {});
        waiting.delete(wanted);
      }
    },
    /** Internal work between requests. */
    between: (work: () => Promise<void>) => void enqueue(work).catch(() => {}),
    /** Stops the running and all queued requests; returns their number. */
    cancel(why: string): number {
      const count = waiting.size;
      const before = cancelling;
      cancelling = new AbortController();
      before.abort(new ServiceError('failed', `${why}; not everything was typed`));
      return count;
    },
    /** Stops everything for good; resolves when nothing runs. */
    async close(): Promise<void> {
      stopping.abort(new ServiceError('failed', 'The service is stopping; not everything was typed'));
      await last;
    },
  };
}

/** The queue of a service: whatever stops input stops running and queued requests. */
export function createTypingQueue(parts: ActionParts): KeyboardQueue {
  const queue = createKeyboardQueue(parts.host.clock);
  const unfollow = onInputStop(parts, queue.cancel);
  return {
    ...queue,
    take: (wanted, work) =>
      queue.take(wanted, (signal) =>
        withInput(parts, async () => {
          signal.throwIfAborted();
          await work(signal);
        }),
      ),
    async close() {
      unfollow();
      await queue.close();
    },
  };
}
