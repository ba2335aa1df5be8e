import { ClientError, type ClientErrorCode, type PinErrorCode } from './client-error.ts';
import type { ServerMessage } from './events.ts';
import { type ClientLink, openClientLink, type SocketConstructor, type SocketLike, type Where } from './link.ts';
import { createListeners, type Listen, type Read } from './listeners.ts';
import type { Pin, PinnedOptions } from './pin.ts';
import { createRequests, type SendRequest } from './requests.ts';

export { ClientError, type ClientErrorCode } from './client-error.ts';
export type {
  EventName,
  ModuleName,
  ModulePayloads,
  Reply,
  Requests,
  Selection,
  ServerMessage,
  SettingsPatch,
} from './events.ts';
export type { SocketConstructor, SocketLike, Where } from './link.ts';
export type { Listen, ListenOptions, Read, Update } from './listeners.ts';
export { type Pin, type PinMemory, pinTo } from './pin.ts';
export type { RequestOptions, SendRequest } from './requests.ts';

/** `waiting`: until the next attempt. `refused`: the token is invalid or revoked; there are no further attempts. `closed`: by `close()`. */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'refused' | 'closed';

/** A connection to the service that reconnects. */
export interface Client {
  readonly state: ClientState;
  /** Waits for a connection, unless there never was one and the first attempt fails. A request that was under way when the connection broke fails, and is never sent again. */
  request: SendRequest;
  /** The current payload of one module. */
  read: Read;
  /** The current payloads of modules and every change, over as many connections as it takes. Returns the function that unsubscribes. */
  listen: Listen;
  /** Calls back at every change, with a sentence where there is one. Returns the function that unsubscribes. */
  onState(callback: (state: ClientState, sentence: string) => void): () => void;
  /** Connects now, also after a refusal. */
  retry(): void;
  close(): void;
}

export interface ClientOptions {
  /** A function is called before every attempt: addresses and tokens may change between connections. */
  where: Where | (() => Where | Promise<Where>);
  /** For runtimes without a WebSocket, such as Node 20: for example that of the package `ws`. */
  WebSocket?: SocketConstructor;
  /** For `https` and `wss` addresses whose certificate this system does not trust: their authority is pinned at the first use. See `pinTo`. */
  pin?: Pin;
  /** Called with problems that belong to no request. */
  onProblem?(problem: unknown): void;
  /** Time limit of a request unless it has its own. */
  requestMs?: number;
  /** Time limit of an attempt to connect. */
  connectMs?: number;
  /** After this much silence the client sends a request; after as much again it closes the connection. */
  quietMs?: number;
  /** Before the first new attempt; the time doubles with each failure. */
  retryMs?: number;
  maxRetryMs?: number;
}

export function createClient({
  where,
  WebSocket = globalThis.WebSocket,
  pin,
  onProblem = () => {},
  requestMs = 15_000,
  connectMs = 10_000,
  quietMs = 10_000,
  retryMs = 500,
  maxRetryMs = 30_000,
}: ClientOptions): Client {
  if (WebSocket === undefined)
    throw new ClientError(
      'NO_WEBSOCKET',
      'This runtime has no WebSocket; pass one as the option WebSocket, for example from the package ws',
    );
  const watchers = new Set<(state: ClientState, sentence: string) => void>();
  let state: ClientState = 'connecting';
  let link: ClientLink | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Failed attempts since the last connection. */
  let failed = 0;
  let wasOpen = false;
  /** Identifies the current attempt; an earlier one is ignored. */
  let current = {};

  /** Reports what a callback throws. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (problem) {
      onProblem(problem);
    }
  };
  const enter = (next: ClientState, sentence = '') => {
    state = next;
    for (const watcher of [...watchers]) guarded(() => watcher(next, sentence));
  };

  const requests = createRequests(requestMs, guarded);
  const listeners = createListeners(requests.request, guarded, onProblem);

  const connect = async () => {
    const attempt = {};
    current = attempt;
    enter('connecting');
    let address = '';
    const ended = (refused: boolean, sentence: string, code: ClientErrorCode = 'BAD_TOKEN') => {
      if (current !== attempt) return;
      stop();
      // The address distinguishes several connections.
      const named = address === '' || sentence.includes(address) ? sentence : `${address}: ${sentence}`;
      requests.ended(new ClientError('CONNECTION_LOST', named));
      if (refused) {
        requests.shut(new ClientError(code, sentence));
        enter('refused', sentence);
      } else {
        if (!wasOpen) requests.unreachable(new ClientError('UNREACHABLE', named));
        timer = setTimeout(connect, backOff(failed++, retryMs, maxRetryMs));
        enter('waiting', sentence);
      }
    };
    try {
      const place = typeof where === 'function' ? await where() : where;
      address = place.url;
      const options = pin === undefined || !/^(?:https|wss):/i.test(place.url) ? null : await pin(place.url, connectMs);
      if (current !== attempt) return;
      link = openClientLink(openSocket(WebSocket, socketUrl(place.url), options), place.token, connectMs, quietMs, {
        opened(send) {
          failed = 0;
          wasOpen = true;
          requests.opened(send);
          listeners.opened();
          enter('open');
        },
        received(message: ServerMessage) {
          if (message.type === 'DATA_UPDATE' && message.id === 'system')
            listeners.updated(message.module ?? '', message.data);
          else if (!requests.received(message) && message.type === 'ERROR')
            onProblem(new ClientError(message.subtype, message.message ?? ''));
        },
        ended,
      });
    } catch (problem) {
      const sentence = problem instanceof Error ? problem.message : String(problem);
      if (problem instanceof ClientError && isPinProblem(problem.code)) ended(true, sentence, problem.code);
      else ended(false, sentence);
    }
  };

  const stop = () => {
    current = {};
    clearTimeout(timer);
    link?.end();
    link = null;
    listeners.ended();
  };

  const client: Client = {
    get state() {
      return state;
    },
    request: requests.request,
    read: listeners.read,
    listen: listeners.listen,
    onState(callback) {
      watchers.add(callback);
      return () => void watchers.delete(callback);
    },
    retry() {
      if (state !== 'waiting' && state !== 'refused') return;
      clearTimeout(timer);
      requests.reopen();
      void connect();
    },
    close() {
      if (state === 'closed') return;
      stop();
      requests.shut(new ClientError('CLOSED', 'The client was closed'));
      enter('closed');
    },
  };
  // Deferred, so that the caller can observe the first state.
  queueMicrotask(() => {
    if (state === 'connecting') connect();
  });
  return client;
}

type PinnedSocket = new (url: string, options: PinnedOptions) => SocketLike;

/** Not every implementation takes options; then its own defaults apply. */
const openSocket = (Socket: new (url: string) => SocketLike, url: string, options: PinnedOptions | null) =>
  options === null ? new Socket(url) : new (Socket as PinnedSocket)(url, options);

const isPinProblem = (code: string): code is PinErrorCode => code === 'CERTIFICATE_CHANGED' || code === 'NO_PINNING';

/** Between half and all of a time that doubles, so that clients of the same service do not reconnect at the same time. */
export function backOff(failed: number, first: number, most: number, random = Math.random()): number {
  return Math.min(most, first * 2 ** failed) * (0.5 + random / 2);
}

/** Of `http://127.0.0.1:9170`, also with a path prefix of a proxy. */
export function socketUrl(url: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/api/websocket`;
}
