import { ClientError, type ClientErrorCode, type PinErrorCode } from './client-error.ts';
import type { Told } from './events.ts';
import { type ClientLink, openClientLink, type SocketConstructor, type SocketLike, type Where } from './link.ts';
import { createListeners, type Listen, type Read } from './listeners.ts';
import type { Pin, PinnedOptions } from './pin.ts';
import { createRequests, type SendRequest } from './requests.ts';

export { ClientError, type ClientErrorCode } from './client-error.ts';
export type { EventName, ModuleName, ModulePayloads, Reply, Requests, SettingsPatch, Told } from './events.ts';
export type { SocketConstructor, SocketLike, Where } from './link.ts';
export type { Listen, Read, Update } from './listeners.ts';
export { type Pin, type PinMemory, pinTo } from './pin.ts';
export type { RequestOptions, SendRequest } from './requests.ts';

/** `waiting`: until the next attempt. `refused`: the token is not, or no longer, valid; nothing more is tried. `closed`: by `close()`. */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'refused' | 'closed';

/** A connection to the service that mends itself. */
export interface Client {
  readonly state: ClientState;
  /** Waits for a connection where there is none, unless there never was one and the first attempt fails. What was under way when one broke fails, and is never sent a second time. */
  request: SendRequest;
  /** What one module says now. */
  read: Read;
  /** What modules say now, and every change from then on, over as many connections as it takes. Returns the way to stop. */
  listen: Listen;
  /** Calls back at every change, with a sentence where there is one. Returns the way to stop. */
  onState(callback: (state: ClientState, sentence: string) => void): () => void;
  /** Tries now instead of later, also after a refusal. */
  retry(): void;
  close(): void;
}

export interface ClientOptions {
  /** Asked before every attempt where it is a function: addresses and tokens may change while nobody is connected. */
  where: Where | (() => Where | Promise<Where>);
  /** For runtimes without one of their own, such as Node 20: that of the package `ws` will do. */
  WebSocket?: SocketConstructor;
  /** For `https` addresses whose certificate this system does not trust: who vouches for them is remembered at the first use. See `pinTo`. */
  pin?: Pin;
  /** Told of what went wrong where nobody waits for an answer. */
  onProblem?(problem: unknown): void;
  /** Time limit of a request unless it has its own. */
  requestMs?: number;
  /** Time limit of an attempt to connect. */
  connectMs?: number;
  /** After this much silence the service is asked for a sign of life; after as much again the connection is given up. */
  quietMs?: number;
  /** Before the first new attempt; the time doubles with each one in vain. */
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
  /** Attempts in vain since the last connection. */
  let failed = 0;
  let wasOpen = false;
  /** Tells an attempt that it is no longer wanted. */
  let current = {};

  /** Whatever a callback throws is its own matter. */
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

  /** Of those that take no options, each has its own idea of what is trusted. */
  const openSocket = (url: string, options: PinnedOptions | null) =>
    options === null ? new WebSocket(url) : new (WebSocket as PinnedSocket)(url, options);

  const connect = async () => {
    const attempt = {};
    current = attempt;
    enter('connecting');
    let address = '';
    const ended = (refused: boolean, sentence: string, code: ClientErrorCode = 'BAD_TOKEN') => {
      if (current !== attempt) return;
      stop();
      // Whoever has several connections wants to know which.
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
      const options = pin === undefined || !place.url.startsWith('https:') ? null : await pin(place.url, connectMs);
      if (current !== attempt) return;
      link = openClientLink(openSocket(socketUrl(place.url), options), place.token, connectMs, quietMs, {
        opened(send) {
          failed = 0;
          wasOpen = true;
          requests.opened(send);
          listeners.opened();
          enter('open');
        },
        received(message: Told) {
          if (message.type === 'DATA_UPDATE') listeners.updated(message.module ?? '', message.data);
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

const isPinProblem = (code: string): code is PinErrorCode => code === 'CERTIFICATE_CHANGED' || code === 'NO_PINNING';

/** Between half and all of a time that doubles: clients that lost the same service do not come back in one moment. */
export function backOff(failed: number, first: number, most: number, random = Math.random()): number {
  return Math.min(most, first * 2 ** failed) * (0.5 + random / 2);
}

/** Of `http://127.0.0.1:9170`, also with a path in front where a proxy puts the service below one. */
export function socketUrl(url: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/api/websocket`;
}
