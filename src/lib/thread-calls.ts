import type { Clock } from './clock.ts';
import { codeOf, messageOf } from './errors.ts';
import type { StartThread, Thread, ThreadSide } from './thread.ts';

export type ThreadCalls = ReturnType<typeof createThreadCalls>;

export interface ThreadCall {
  id: number;
  request: unknown;
}

type ThreadReply = { id: number } & ({ value: unknown } | { problem: string; code: string | null });

interface Running {
  thread: Promise<Thread>;
  open: Map<number, PromiseWithResolvers<unknown>>;
}

/** Requests to a thread, which is started with the first one, and ended after `idleMs` without one; null: it is not. */
export function createThreadCalls(
  startThread: StartThread,
  clock: Clock,
  { job, data = null, idleMs = null }: { job: string; data?: unknown; idleMs?: number | null },
) {
  let running: Running | null = null;
  let lastId = 0;
  let cancelIdle = () => {};

  const lose = (lost: Running, reason: string) => {
    if (running === lost) running = null;
    for (const { reject } of lost.open.values()) reject(new Error(reason));
    lost.open.clear();
  };
  const endThread = ({ thread }: Running) => void thread.then((started) => started.end()).catch(() => {});
  const end = (reason: string) => {
    cancelIdle();
    const ended = running;
    if (ended === null) return;
    endThread(ended);
    lose(ended, reason);
  };
  const settle = (asked: Running, { id, ...reply }: ThreadReply) => {
    const call = asked.open.get(id);
    asked.open.delete(id);
    if ('value' in reply) call?.resolve(reply.value);
    else call?.reject(Object.assign(new Error(reply.problem), reply.code === null ? {} : { code: reply.code }));
    if (asked.open.size > 0) return;
    if (asked !== running) endThread(asked);
    else if (idleMs !== null) cancelIdle = clock.after(idleMs, () => end('it was idle'));
  };
  const start = (): Running => {
    const started: Running = {
      open: new Map(),
      thread: startThread(job, data, {
        message: (reply) => settle(started, reply as ThreadReply),
        failed: (reason) => lose(started, `the thread for ${data ?? job} ended: ${reason}`),
      }),
    };
    started.thread.catch((error) => lose(started, messageOf(error)));
    return started;
  };

  return {
    /** Rejects with the error of the thread and its code, and when the thread ends. */
    ask(request: unknown): Promise<unknown> {
      cancelIdle();
      running ??= start();
      const call = Promise.withResolvers<unknown>();
      lastId += 1;
      const sent: ThreadCall = { id: lastId, request };
      running.open.set(sent.id, call);
      void running.thread.then((thread) => thread.send(sent)).catch(() => {});
      return call.promise;
    },
    /** For a thread that hangs: the next request gets another one. This one ends once it has answered. */
    abandon(): void {
      running = null;
    },
    /** Ends the thread; its open requests are rejected. One that hangs in the kernel ends later. */
    end,
  };
}

/** The other side: answers each request. `transferred`: the memory of an answer that is handed over instead of copied. */
export const threadAnswers =
  <T>(
    post: (reply: unknown, transfer?: ArrayBuffer[]) => void,
    answer: (request: unknown) => T | Promise<T>,
    transferred: (value: T) => ArrayBuffer[] = () => [],
  ): ThreadSide['receive'] =>
  async (message) => {
    const { id, request } = message as ThreadCall;
    try {
      const value = await answer(request);
      post({ id, value } satisfies ThreadReply, transferred(value));
    } catch (error) {
      post({ id, problem: messageOf(error), code: codeOf(error) } satisfies ThreadReply);
    }
  };
