import type { Clock } from '@hostler/io/clock.ts';
import type { LocalSocket, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { createResponseParser, type ResponseHead } from './response-parser.ts';

/** How to reach a server. */
export interface AskedServer {
  /** Opens a connection; the peer is verified by the caller's socket. */
  connect(events: LocalSocketEvents): Promise<LocalSocket>;
  clock: Clock;
  /** The Host header; left out: localhost. */
  host?: string;
}

export interface SocketRequest {
  method: 'GET' | 'POST';
  /** With the query; untrusted parts must be escaped. */
  path: string;
  /** Timeout: for `askServer` of the whole response, for `followServer` of its head. */
  limitMs: number;
  /** Ends it early. */
  signal?: AbortSignal | undefined;
}

export interface SocketResponse extends ResponseHead {
  body: Buffer;
}

export interface ResponseListener {
  /** The memory belongs to the socket: copy what must outlive the call. */
  piece(bytes: Uint8Array): void;
  /** Once, unless it was stopped; the error if there was one. */
  ended(error: Error | null): void;
}

/** One request and its whole response. Rejects when it takes too long or is too large. */
export async function askServer(
  server: AskedServer,
  request: SocketRequest & { maxBytes: number },
): Promise<SocketResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<SocketResponse>();
  // One buffer: each piece of its own would take 90 bytes more.
  let body = Buffer.alloc(0);
  let size = 0;
  let head: ResponseHead | null = null;
  const exchange = exchangeWith(server, request, {
    head: (given) => {
      head = given;
    },
    piece(bytes) {
      const end = size + bytes.length;
      if (end > request.maxBytes) throw new Error(`its response is larger than ${request.maxBytes} bytes`);
      if (end > body.length) {
        const larger = Buffer.allocUnsafe(Math.min(request.maxBytes, Math.max(end, 2 * body.length)));
        body.copy(larger, 0, 0, size);
        body = larger;
      }
      body.set(bytes, size);
      size = end;
    },
    over(error) {
      if (error !== null || head === null) reject(error ?? new Error('it did not answer'));
      else resolve({ ...head, body: body.subarray(0, size) });
    },
  });
  return await inTime(server, request, exchange, promise);
}

/** Resolves with the head of an endless response, and the function that stops it. */
export async function followServer(
  server: AskedServer,
  request: SocketRequest,
  { piece, ended }: ResponseListener,
): Promise<ResponseHead & { stop(): void }> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseHead & { stop(): void }>();
  let hasHead = false;
  let stopped = false;
  const exchange = exchangeWith(server, request, {
    head(head) {
      hasHead = true;
      resolve({
        ...head,
        stop() {
          stopped = true;
          exchange.end(null);
        },
      });
    },
    piece,
    over(error) {
      if (!hasHead) reject(error ?? new Error('it did not answer'));
      else if (!stopped) ended(error);
    },
  });
  return await inTime(server, request, exchange, promise);
}

async function inTime<T>(
  { clock }: AskedServer,
  { limitMs }: SocketRequest,
  exchange: { end(error: Error): void },
  promise: Promise<T>,
): Promise<T> {
  const late = () => exchange.end(new Error(`it has not answered for ${limitMs / 1000} s`));
  return await promise.finally(clock.after(limitMs, late));
}

interface ExchangeEvents {
  head(head: ResponseHead): void;
  piece(bytes: Uint8Array): void;
  /** Once, at any end. */
  over(error: Error | null): void;
}

/** Sends the request, and passes on the response until it is complete, invalid, or ended. */
function exchangeWith(
  { connect, host = 'localhost' }: AskedServer,
  { method, path: target, signal }: SocketRequest,
  { head, piece, over }: ExchangeEvents,
): { end(error: Error | null): void } {
  let socket: LocalSocket | null = null;
  let isOver = false;

  const end = (error: Error | null) => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener('abort', aborted);
    socket?.close();
    over(error);
  };
  const aborted = () => end(signal?.reason instanceof Error ? signal.reason : new Error('the request was cancelled'));
  const parser = createResponseParser({ head, piece, end: () => end(null) });
  const guarded = (work: () => void) => {
    try {
      if (!isOver) work();
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const listening: LocalSocketEvents = {
    data: (bytes) => guarded(() => parser.take(bytes)),
    closed: (error) => guarded(() => (error === null ? parser.closed() : end(error))),
  };
  signal?.addEventListener('abort', aborted);
  if (signal?.aborted) aborted();
  else
    connect(listening).then(
      (connected) => {
        // Aborted while connecting.
        if (isOver) return connected.close();
        socket = connected;
        connected.send(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headersOf(method)}\r\n`));
      },
      (error: Error) => end(error),
    );
  return { end };
}

const headersOf = (method: SocketRequest['method']) =>
  `Connection: close\r\nAccept: */*\r\nAccept-Encoding: identity\r\n${method === 'POST' ? 'Content-Length: 0\r\n' : ''}`;
