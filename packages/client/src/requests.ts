import { ClientError } from './client-error.ts';
import { type DataEvent, type EventName, type Reply, type Requests, replies, type ServerMessage } from './events.ts';
import type { Send } from './link.ts';

export interface RequestOptions {
  timeoutMs?: number;
  /** For messages besides the response, before or after it: COMMAND_OUTPUT, NOTIFICATION_ACTION. */
  onMessage?(type: string, data: unknown): void;
}

/** Resolves with the response; rejects with a ClientError that has the service's code and sentence. */
export interface SendRequest {
  <E extends EventName>(
    event: E,
    data: Requests[E]['data'],
    options?: RequestOptions,
  ): Promise<Reply<Requests[E]['result']>>;
  /** An event that is known at run time only, such as one of a newer service. */
  <E extends string>(
    event: E extends EventName ? E : UnlistedEvent<E>,
    ...rest: E extends EventName
      ? [data: Requests[E]['data'], options?: RequestOptions]
      : [data?: unknown, options?: RequestOptions]
  ): Promise<Reply<unknown>>;
}

/** The compiler shows the sentence where a literal is no event. */
export type UnlistedEvent<E extends string> = string extends E
  ? string
  : E extends DataEvent
    ? `${E} belongs to the client: use read() or listen()`
    : `There is no event ${E}; one of a newer service is passed as a string: '${E}' as string`;

export interface PendingRequests {
  request: SendRequest;
  opened(send: Send): void;
  /** False: no request has this id. */
  received(message: ServerMessage): boolean;
  /** The connection is lost: requests sent over it fail, queued ones stay queued. */
  ended(error: ClientError): void;
  /** There never was a connection: queued requests fail at once, rather than time out. */
  unreachable(error: ClientError): void;
  /** Fails all requests, also later ones. */
  shut(error: ClientError): void;
  reopen(): void;
}

interface Pending {
  event: string;
  data: unknown;
  sent: boolean;
  resolve(reply: Reply<unknown>): void;
  reject(error: ClientError): void;
}

export function createRequests(requestMs: number, guarded: (work: () => void) => void): PendingRequests {
  const pending = new Map<string, Pending>();
  const listeners = new Map<string, (type: string, data: unknown) => void>();
  let send: Send | null = null;
  let shut: ClientError | null = null;
  let count = 0;

  const deliver = (id: string, entry: Pending) => {
    entry.sent = true;
    send?.(id, entry.event, entry.data);
  };

  const request = (event: string, data?: unknown, { timeoutMs = requestMs, onMessage }: RequestOptions = {}) =>
    new Promise<Reply<unknown>>((resolve, reject) => {
      if (shut !== null) return reject(shut);
      const id = `r${++count}`;
      const settle = () => {
        clearTimeout(timer);
        pending.delete(id);
        // Its parts come before the response; buttons of a notification are pressed after it.
        if (event === 'GET_DATA') listeners.delete(id);
      };
      const entry: Pending = {
        event,
        data,
        sent: false,
        resolve(reply) {
          settle();
          resolve(reply);
        },
        reject(error) {
          settle();
          listeners.delete(id);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        entry.reject(new ClientError('TIMEOUT', `${event} was not answered within ${timeoutMs / 1000} s`));
      }, timeoutMs);
      pending.set(id, entry);
      if (onMessage !== undefined) listeners.set(id, onMessage);
      if (send !== null) deliver(id, entry);
    });

  const rejectAll = (error: ClientError, which: (entry: Pending) => boolean) => {
    for (const entry of [...pending.values()]) if (which(entry)) entry.reject(error);
  };

  return {
    request,
    opened(through) {
      send = through;
      for (const [id, entry] of [...pending]) deliver(id, entry);
    },
    received({ id, type, subtype, data, message = '' }) {
      const entry = pending.get(id);
      if (entry !== undefined && type === 'ERROR') entry.reject(new ClientError(subtype, message, data));
      else if (entry !== undefined && type === (replies[entry.event] ?? type)) entry.resolve({ data, message });
      else {
        const onMessage = listeners.get(id);
        if (onMessage !== undefined) guarded(() => onMessage(type, data));
        return entry !== undefined || onMessage !== undefined;
      }
      return true;
    },
    ended(error) {
      send = null;
      rejectAll(error, ({ sent }) => sent);
      listeners.clear();
    },
    unreachable(error) {
      rejectAll(error, () => true);
    },
    shut(error) {
      send = null;
      shut = error;
      rejectAll(error, () => true);
      listeners.clear();
    },
    reopen() {
      shut = null;
    },
  };
}
