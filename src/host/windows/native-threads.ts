import { type Clock, settledWithin } from '../../lib/clock.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createThreadCalls, type ThreadCalls } from '../../lib/thread-calls.ts';
import type { NativeLibrary } from '../native-library.ts';
import type { Native } from './native/native.ts';

/** The same calls, asynchronously. */
export type Elsewhere<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

export interface NativeRequest {
  method: string;
  args: unknown[];
}

const idleMs = 30_000;
/** Time limit of a call; after it the thread counts as stuck, and the next call starts another. */
const usualPatienceMs = 8000;

/**
 * Libraries that communicate with other programs can block for long, so each has its own thread. Arguments and results are plain data,
 * so they can be sent. An idle thread is ended after a while.
 */
export function createNativeThreads(startThread: StartThread, clock: Clock) {
  const threads = new Map<string, ThreadCalls>();
  function of<K extends keyof Native>(library: K): Elsewhere<Native[K]>;
  function of<T extends object>(library: NativeLibrary<T>): Elsewhere<T>;
  function of(library: string | NativeLibrary): object {
    const { name, patienceMs = usualPatienceMs } = typeof library === 'string' ? { name: library } : library;
    const thread =
      threads.get(name) ?? createThreadCalls(startThread, clock, { job: 'windows-native', data: name, idleMs });
    threads.set(name, thread);
    const call = async (request: NativeRequest) => {
      const asked = thread.ask(request);
      if (!(await settledWithin(clock, asked, patienceMs)))
        thread.end(`Windows did not answer within ${patienceMs / 1000} s`);
      return await asked;
    };
    const ask = (_target: object, method: string | symbol) =>
      // An `await` reads `then`, which no library has.
      method === 'then' ? undefined : (...args: unknown[]) => call({ method: String(method), args });
    return new Proxy({}, { get: ask });
  }
  return {
    of,
    close() {
      for (const thread of threads.values()) thread.end('the service ends');
    },
  };
}
