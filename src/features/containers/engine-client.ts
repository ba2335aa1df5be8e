import { askLocally, followLocally, type WholeAnswer } from '@hostler/http-socket/exchange.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { Clock } from '../../lib/clock.ts';
import { codeOf, messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import { foreignText } from './engine-answers.ts';

/** What an engine refused, in its own words; or why it could not be asked, in ours. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** Of HTTP; null: there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** The API that Docker has, and Podman has as well, at one socket. https://docs.docker.com/reference/api/engine/ */
export interface EngineClient {
  /** Rejects with an EngineError. */
  get(path: string, options?: AskOptions): Promise<unknown>;
  /** An order. `changed`: false where the engine says that it was so already. */
  post(path: string, options?: AskOptions): Promise<{ changed: boolean }>;
  /** Calls back with each line of an answer that goes on, and once when it has ended. */
  followLines(path: string, line: (text: string) => void, ended: (problem: string) => void): Promise<() => void>;
  /** The pieces of an answer as they come, until `piece` says that it has enough, or it ends. */
  collect(path: string, piece: (bytes: Uint8Array) => 'more' | 'enough', options?: AskOptions): Promise<void>;
}

export interface AskOptions {
  limitMs?: number;
  signal?: AbortSignal | undefined;
}

/** A busy engine takes its time; one that takes longer hangs. */
const usualLimitMs = 8000;
const mostBytes = 16 * 1024 * 1024;
/** Events carry the labels of their container. */
const longestLine = 1024 * 1024;

export interface EngineClientParts {
  connectLocal: ConnectLocal;
  clock: Clock;
}

/** Paths carry no version: then the engine answers with its newest, and none is too old or too new for it. */
export function createEngineClient({ connectLocal, clock }: EngineClientParts, socket: string): EngineClient {
  const server = { connect: connectLocal, clock, socket };

  const ask = async (method: 'GET' | 'POST', path: string, { limitMs = usualLimitMs, signal }: AskOptions) => {
    let answer: WholeAnswer;
    try {
      answer = await askLocally(server, { method, path, limitMs, signal, maxBytes: mostBytes });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new EngineError(whyUnreachable(error, socket));
    }
    if (answer.status >= 400) throw refusalOf(answer.status, answer.body);
    return answer;
  };

  return {
    async get(path, options = {}) {
      const { body } = await ask('GET', path, options);
      try {
        return JSON.parse(body.toString('utf8'));
      } catch {
        throw new EngineError(`${socket} does not answer as a container engine does`);
      }
    },
    async post(path, options = {}) {
      const { status } = await ask('POST', path, options);
      return { changed: status !== 304 };
    },
    async followLines(path, line, ended) {
      let begun = '';
      const decoder = new TextDecoder();
      const failed = (error: unknown) => new EngineError(whyUnreachable(error, socket));
      const followed = await followLocally(
        server,
        { method: 'GET', path, limitMs: usualLimitMs },
        {
          piece(bytes) {
            const lines = (begun + decoder.decode(bytes, { stream: true })).split('\n');
            begun = lines.pop() ?? '';
            if (begun.length > longestLine) throw new Error('it sends a line that does not end');
            for (const text of lines) if (text.trim() !== '') line(text);
          },
          ended: (error) => ended(error === null ? 'it closed the connection' : messageOf(error)),
        },
      ).catch((error) => {
        throw failed(error);
      });
      if (followed.status === 200) return followed.stop;
      followed.stop();
      throw refusalOf(followed.status, Buffer.alloc(0));
    },
    async collect(path, piece, { limitMs = usualLimitMs, signal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // Nobody waits for it where the head alone is a refusal.
      promise.catch(() => {});
      const early: Buffer[] = [];
      let size = 0;
      let status: number | null = null;
      const followed = await followLocally(
        server,
        { method: 'GET', path, limitMs, signal },
        {
          piece(bytes) {
            // A refusal may come together with its head.
            if (status === null || status >= 400) {
              size += bytes.length;
              if (size > mostBytes) throw new Error('its answer is too large');
              early.push(Buffer.from(bytes));
            } else if (piece(bytes) === 'enough') resolve();
          },
          ended: (error) => (error === null ? resolve() : reject(error)),
        },
      ).catch((error) => {
        if (signal?.aborted) throw error;
        throw new EngineError(whyUnreachable(error, socket));
      });
      status = followed.status;
      const cancel = clock.after(limitMs, () => reject(new Error(`it has not answered for ${limitMs / 1000} s`)));
      try {
        if (status < 400) for (const bytes of early) if (piece(bytes) === 'enough') return;
        await promise;
      } catch (error) {
        if (signal?.aborted) throw error;
        throw new EngineError(whyUnreachable(error, socket));
      } finally {
        cancel();
        followed.stop();
      }
      if (status >= 400) throw refusalOf(status, Buffer.concat(early));
    },
  };
}

/** Engines say what is wrong as {"message": …}. */
function refusalOf(status: number, body: Buffer): EngineError {
  const said = messageIn(body);
  return new EngineError(said === '' ? `The engine answers with status ${status}` : said, status);
}

function messageIn(body: Buffer): string {
  try {
    const said: unknown = JSON.parse(body.toString('utf8', 0, 64 * 1024));
    return isObject(said) && typeof said.message === 'string' ? foreignText(said.message, 400) : '';
  } catch {
    return '';
  }
}

/** A sentence about a socket that does not answer. */
export function whyUnreachable(error: unknown, socket: string): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `The user of this service may not use ${socket}; adding it to the group of the engine gives it the rights of root, see docs/containers.md`;
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `Nothing is listening at ${socket}; start the engine`;
    default:
      return `The engine at ${socket} does not answer: ${foreignText(messageOf(error), 200)}`;
  }
}
