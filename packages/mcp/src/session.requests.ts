import type { Events, StreamParts } from './event-stream.ts';
import { notificationMessage, type Params, type ResponseMessage } from './messages.ts';

export type ClientRequests = ReturnType<typeof createClientRequests>;

/** The requests of the server to the client of a session. */
export function createClientRequests({
  after,
  responseWithinMs,
}: Pick<StreamParts, 'after'> & { responseWithinMs: number }) {
  const open = new Map<number, PromiseWithResolvers<Params>>();
  let last = -1;
  return {
    /** Sends a request on the stream of the call that needs it. Rejects without a result. */
    async send(events: Events, signal: AbortSignal, method: string, params: Params | undefined): Promise<Params> {
      last += 1;
      const id = last;
      const result = Promise.withResolvers<Params>();
      const giveUp = (reason: Error) => {
        events.send(notificationMessage('notifications/cancelled', { requestId: id, reason: String(reason) }));
        result.reject(reason);
      };
      const aborted = () => giveUp(new Error('The request was cancelled'));
      const cancelTimeout = after(responseWithinMs, () => giveUp(new Error('Request timed out')));
      signal.addEventListener('abort', aborted);
      open.set(id, result);
      events.open();
      events.send({ method, ...(params === undefined ? {} : { params }), jsonrpc: '2.0', id });
      try {
        return await result.promise;
      } finally {
        open.delete(id);
        signal.removeEventListener('abort', aborted);
        cancelTimeout();
      }
    },
    /** A response to an unknown request is ignored. */
    settle({ id, result, refusal }: ResponseMessage) {
      const waiting = open.get(Number(id));
      if (result === null) waiting?.reject(new Error(refusal));
      else waiting?.resolve(result);
    },
    close(reason: Error) {
      for (const { reject } of open.values()) reject(reason);
    },
  };
}
