import type { Clock } from '../../lib/clock.ts';
import type { StartThread, Thread } from '../../lib/thread.ts';
import type { NativeLibrary } from '../native-library.ts';
import type { Native } from './native/native.ts';

/** The same calls, asynchronously. */
export type Elsewhere<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

export interface NativeRequest {
  id: number;
  method: string;
  args: unknown[];
}

export type NativeReply = { id: number; value: unknown } | { id: number; problem: string };

const idleMs = 30_000;
/** Time limit of a call; after it the thread counts as stuck, and the next call starts another. */
const usualPatienceMs = 8000;

/**
 * Libraries that communicate with other programs can block for long, so each has its own thread. Arguments and results are plain data,
 * so they can be sent. An idle thread is ended after a while.
 */
export function createNativeThreads(startThread: StartThread, clock: Clock) {
  const threads = new Map<string, ReturnType<typeof createNativeThread>>();
  function of<K extends keyof Native>(library: K): Elsewhere<Native[K]>;
  function of<T extends object>(library: NativeLibrary<T>): Elsewhere<T>;
  function of(library: string | NativeLibrary): object {
    const { name, patienceMs = usualPatienceMs } = typeof library === 'string' ? { name: library } : library;
    const thread = threads.get(name) ?? createNativeThread(name, patienceMs, startThread, clock);
    threads.set(name, thread);
    const ask = (_target: object, method: string | symbol) =>
      // An `await` reads `then`, which no library has.
      method === 'then' ? undefined : (...args: unknown[]) => thread.ask(String(method), args);
    return new Proxy({}, { get: ask });
  }
  return {
    of,
    close() {
      for (const thread of threads.values()) thread.end('the service ends');
    },
  };
}

function createNativeThread(library: string, limitMs: number, startThread: StartThread, clock: Clock) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let running: Promise<Thread> | null = null;
  let nextId = 0;
  let cancelIdle = () => {};

  const lost = (reason: string) => {
    running = null;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  const received = (message: unknown) => {
    const reply = message as NativeReply;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('problem' in reply) asked?.reject(new Error(reply.problem));
    else asked?.resolve(reply.value);
  };
  const end = (reason: string) => {
    cancelIdle();
    void running?.then((thread) => thread.end()).catch(() => {});
    lost(reason);
  };
  const start = () => {
    const started = startThread('windows-native', library, {
      message: received,
      failed: (reason) => lost(`the thread for ${library} ended: ${reason}`),
    });
    started.catch((error) => lost(String(error)));
    running = started;
    return started;
  };
  const endWhenIdle = () => {
    cancelIdle();
    cancelIdle = clock.after(idleMs, () => {
      if (waiting.size === 0) end('it was idle');
    });
  };

  return {
    async ask(method: string, args: unknown[]): Promise<unknown> {
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { resolve, reject });
      const giveUp = clock.after(limitMs, () => end(`Windows did not answer within ${limitMs / 1000} s`));
      const request: NativeRequest = { id, method, args };
      void (running ?? start()).then((thread) => thread.send(request)).catch(() => {});
      try {
        return await promise;
      } finally {
        giveUp();
        endWhenIdle();
      }
    },
    end,
  };
}
