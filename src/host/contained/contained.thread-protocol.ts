import type { Clock } from '../../lib/clock.ts';
import { createSequence } from '../../lib/later.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createThreadCalls } from '../../lib/thread-calls.ts';
import type { Bytes, ContainedFacts, ContainedProblem, Listed } from './contained.ts';

/** A request to a thread. What it finds or opens is referred to by the number of the request. */
export type LineRequest =
  | { call: 'find'; base: string; relative: string }
  | { call: 'open' | 'close'; of: number }
  | { call: 'list'; of: number; untouched: ReadonlySet<string> }
  | { call: 'read' | 'entries'; of: number; start: number; end: number };

export type ToLineThread = LineRequest & { id: number };

export interface FromLineThread {
  facts?: ContainedFacts;
  bytes?: Bytes;
  count?: number;
  listed?: Listed[];
  problem?: ContainedProblem;
}

/** A thread that handles one request after the other, and may hang with any of them. */
export type Line = ReturnType<typeof createLine>;

export const silentAfterMs = 2500;
const idleMs = 30_000;

/** Requests after which something stays open. */
const opens = new Set<LineRequest['call']>(['find', 'open']);

/** `job` is the one for this platform. */
export function createLine(clock: Clock, startThread: StartThread, job: string, ended: () => void) {
  const calls = createThreadCalls(startThread, clock, { job });
  const inTurn = createSequence();
  let lastId = 0;
  /** Requests that are not over. */
  let pending = 0;
  /** When the thread got the current one; null: it has none. */
  let since: number | null = null;
  let cancelEnd = () => {};
  /** Numbers of the open entries in the thread. */
  const held = new Set<number>();

  const end = () => {
    cancelEnd();
    ended();
    calls.end('it was idle');
  };

  const send = (message: ToLineThread, isWanted: () => boolean): Promise<FromLineThread> => {
    pending += 1;
    cancelEnd();
    return inTurn(async () => {
      try {
        if (!isWanted()) return {};
        since = clock.monotonic();
        const reply = (await calls.ask(message)) as FromLineThread;
        if (message.call === 'close') held.delete(message.of);
        else if (opens.has(message.call) && reply.problem === undefined) held.add(message.id);
        return reply;
      } finally {
        since = null;
        pending -= 1;
        if (pending === 0 && held.size === 0) cancelEnd = clock.after(idleMs, end);
      }
    });
  };

  const close = (of: number) => {
    lastId += 1;
    send({ call: 'close', of, id: lastId }, () => held.has(of)).catch(() => {});
  };

  const impatiently = (message: ToLineThread): Promise<FromLineThread> => {
    if (since !== null && clock.monotonic() - since >= silentAfterMs) return Promise.resolve({ problem: 'silent' });
    const { promise, resolve, reject } = Promise.withResolvers<FromLineThread>();
    let isLate = false;
    const cancel = clock.after(silentAfterMs, () => {
      isLate = true;
      resolve({ problem: 'silent' });
    });
    send(message, () => !isLate)
      .finally(cancel)
      .then((reply) => {
        if (isLate) close(message.id);
        else resolve(reply);
      }, reject);
    return promise;
  };

  return {
    /** `silent` when it takes too long, or at once when the current request has taken too long already; patient callers wait. */
    ask(request: LineRequest, patient = false): { id: number; reply: Promise<FromLineThread> } {
      lastId += 1;
      const message = { ...request, id: lastId };
      return { id: lastId, reply: patient ? send(message, () => true) : impatiently(message) };
    },
    /** Releases what was found or opened, after all earlier requests were answered. */
    close,
    isIdle: () => pending === 0 && held.size === 0,
    /** Only when idle: the runtime would wait for a thread that hangs. */
    end,
  };
}
