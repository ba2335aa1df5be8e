import { type AskedServer, askServer, followServer } from '@hostler/http-socket/exchange.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { parseBoundedJson } from '../../lib/bounded-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { codeOf, messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import { foreignText } from './engine-responses.ts';

/** The error message of an engine, or why it could not be reached. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** HTTP status; null: no response. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

export type EngineClient = ReturnType<typeof createEngineClient>;

interface RequestOptions {
  limitMs?: number;
  signal?: AbortSignal | undefined;
}

/** A busy engine is slow; one that takes longer than this hangs. */
const usualLimitMs = 8000;
/** A thousand containers with a hundred labels each. */
const answerLimits = { depth: 64, values: 500_000 };
const mostBytes = 16 * 1024 * 1024;
/** Events contain the labels of their container. */
const longestLine = 1024 * 1024;

export interface EngineClientParts {
  connectLocal: ConnectLocal;
  clock: Clock;
}

/** The API of Docker, which Podman implements too, at one socket. Paths have no version, so every engine answers with its newest. https://docs.docker.com/reference/api/engine/ */
export function createEngineClient({ connectLocal, clock }: EngineClientParts, socket: string) {
  const server: AskedServer = { clock, connect: (events) => connectLocal(socket, events, 'self-or-root') };

  const unreachable = (signal?: AbortSignal) => (error: unknown) => {
    throw signal?.aborted ? error : new EngineError(whyUnreachable(error, socket));
  };

  const request = async (method: 'GET' | 'POST', path: string, { limitMs = usualLimitMs, signal }: RequestOptions) => {
    const asked = askServer(server, { method, path, limitMs, signal, maxBytes: mostBytes });
    const response = await asked.catch(unreachable(signal));
    if (response.status >= 400) throw refusalOf(response.status, response.body);
    return response;
  };

  return {
    /** Rejects with an EngineError. */
    async get(path: string, options: RequestOptions = {}): Promise<unknown> {
      const { body } = await request('GET', path, options);
      try {
        return parseBoundedJson(body.toString('utf8'), answerLimits);
      } catch {
        throw new EngineError(`${socket} does not answer like a container engine`);
      }
    },
    /** `changed`: false if the container already was in that state. */
    async post(path: string, options: RequestOptions = {}) {
      const { status } = await request('POST', path, options);
      return { changed: status !== 304 };
    },
    /** Calls `line` with each line of a streamed response, and `ended` once at its end. */
    async followLines(path: string, line: (text: string) => void, ended: (problem: string) => void) {
      let partial = '';
      const decoder = new TextDecoder();
      const followed = await followServer(
        server,
        { method: 'GET', path, limitMs: usualLimitMs },
        {
          piece(bytes) {
            const lines = (partial + decoder.decode(bytes, { stream: true })).split('\n');
            partial = lines.pop() ?? '';
            if (partial.length > longestLine) throw new Error('it sent an unterminated line');
            for (const text of lines) if (text.trim() !== '') line(text);
          },
          ended: (error) => ended(error === null ? 'it closed the connection' : messageOf(error)),
        },
      ).catch(unreachable());
      if (followed.status === 200) return followed.stop;
      followed.stop();
      throw refusalOf(followed.status, Buffer.alloc(0));
    },
    /** Streams a response until `piece` returns 'enough' or it ends. */
    async collect(
      path: string,
      piece: (bytes: Uint8Array) => 'more' | 'enough',
      { limitMs = usualLimitMs, signal }: RequestOptions = {},
    ): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // Unhandled if the status alone is a refusal.
      promise.catch(() => {});
      const early: Buffer[] = [];
      let size = 0;
      let status: number | null = null;
      const followed = await followServer(
        server,
        { method: 'GET', path, limitMs, signal },
        {
          piece(bytes) {
            // The body of a refusal may arrive together with its head.
            if (status === null || status >= 400) {
              size += bytes.length;
              if (size > mostBytes) throw new Error('its response is too large');
              early.push(Buffer.from(bytes));
            } else if (piece(bytes) === 'enough') resolve();
          },
          ended: (error) => (error === null ? resolve() : reject(error)),
        },
      ).catch(unreachable(signal));
      status = followed.status;
      const cancel = clock.after(limitMs, () => reject(new Error(`it has not answered for ${limitMs / 1000} s`)));
      try {
        if (status < 400) for (const bytes of early) if (piece(bytes) === 'enough') return;
        await promise;
      } catch (error) {
        return unreachable(signal)(error);
      } finally {
        cancel();
        followed.stop();
      }
      if (status >= 400) throw refusalOf(status, Buffer.concat(early));
    },
  };
}

/** Engines answer errors with {"message": …}. */
function refusalOf(status: number, body: Buffer): EngineError {
  const message = messageIn(body);
  return new EngineError(message === '' ? `The engine answers with status ${status}` : message, status);
}

function messageIn(body: Buffer): string {
  try {
    const response: unknown = JSON.parse(body.toString('utf8', 0, 64 * 1024));
    return isObject(response) && typeof response.message === 'string' ? foreignText(response.message, 400) : '';
  } catch {
    return '';
  }
}

function whyUnreachable(error: unknown, socket: string): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `The user of this service may not use ${socket}; a member of the group that owns it may, and has the rights of root`;
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `Nothing is listening at ${socket}; start the engine`;
    default:
      return `The engine at ${socket} does not answer: ${foreignText(messageOf(error), 200)}`;
  }
}
