import type { Clock } from '../../lib/clock.ts';
import type { StartThread } from '../../lib/thread.ts';
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
  /** A failure that says nothing about the file, such as a broken disk. */
  failure?: string;
}

/** A thread that handles one request after the other, and may hang with any of them. */
export interface Line {
  /** `silent` when it takes too long, or at once when the current request has taken too long already; patient callers wait. */
  ask(request: LineRequest, patient?: boolean): { id: number; reply: Promise<FromLineThread> };
  /** Releases what was found or opened, after all earlier requests were answered. */
  close(id: number): void;
  isIdle(): boolean;
  /** Only when idle: the runtime would wait for a thread that hangs. */
  end(): void;
}

export type StartContained = (
  receive: (reply: FromLineThread) => void,
  failed: (why: string) => void,
) => Promise<{ send(message: ToLineThread): void; end(): void }>;

export const silentAfterMs = 2500;
const idleMs = 30_000;

/** Requests after which something stays open. */
const opens = new Set<LineRequest['call']>(['find', 'open']);

interface Asked {
  message: ToLineThread;
  settle(reply: FromLineThread): void;
}

export function createLine(clock: Clock, start: StartContained, ended: () => void): Line {
  let queue: Asked[] = [];
  let current: Asked | null = null;
  let since = 0;
  let lastId = 0;
  let cancelEnd = () => {};
  /** Why it ended; null: it runs. */
  let failure: string | null = null;
  /** Numbers of the open entries in the thread. */
  const held = new Set<number>();

  const receive = (reply: FromLineThread) => {
    if (current !== null) finish(current, reply);
    work();
  };

  const finish = ({ message, settle }: Asked, reply: FromLineThread) => {
    if (message.call === 'close') held.delete(message.of);
    else if (opens.has(message.call) && reply.problem === undefined && reply.failure === undefined)
      held.add(message.id);
    settle(reply);
  };

  const work = () => {
    cancelEnd();
    current = queue.shift() ?? null;
    since = clock.monotonic();
    if (current === null) cancelEnd = held.size === 0 ? clock.after(idleMs, end) : () => {};
    else send(current.message);
  };

  const send = (message: ToLineThread) =>
    void thread.then(
      (running) => running.send(message),
      () => {},
    );

  const put = (asked: Asked) => {
    // Callers with something open may still send requests, and those without a time limit would wait forever.
    if (failure !== null) return asked.settle({ failure });
    queue.push(asked);
    if (current === null) work();
  };

  const fail = (why: string) => {
    const lost = current === null ? queue : [current, ...queue];
    failure = `The thread for files that may hang ended: ${why}`;
    queue = [];
    current = null;
    cancelEnd();
    ended();
    for (const { settle } of lost) settle({ failure });
  };

  const end = () => {
    cancelEnd();
    ended();
    void thread.then(
      (running) => running.end(),
      () => {},
    );
  };

  const thread = start(receive, fail);
  thread.catch((error) => fail(String(error)));

  const close = (of: number) => put({ message: { call: 'close', of, id: ++lastId }, settle: () => {} });

  const isSilent = () => current !== null && clock.monotonic() - since >= silentAfterMs;

  const reply = (message: ToLineThread, patient: boolean): Promise<FromLineThread> =>
    new Promise((resolve, reject) => {
      const cancel = patient ? () => {} : clock.after(silentAfterMs, () => giveUp());
      const asked: Asked = {
        message,
        settle(answered) {
          cancel();
          if (answered.failure === undefined) resolve(answered);
          else reject(new Error(answered.failure));
        },
      };
      const giveUp = () => {
        resolve({ problem: 'silent' });
        if (asked === current) asked.settle = () => held.has(message.id) && close(message.id);
        else queue = queue.filter((other) => other !== asked);
      };
      put(asked);
    });

  return {
    ask(request, patient = false) {
      lastId += 1;
      const id = lastId;
      if (!patient && isSilent()) return { id, reply: Promise.resolve({ problem: 'silent' }) };
      return { id, reply: reply({ ...request, id }, patient) };
    },
    close,
    isIdle: () => current === null && held.size === 0,
    end,
  };
}

/** The thread itself; `job` is the one for this platform. */
export const containedThread =
  (startThread: StartThread, job: string): StartContained =>
  (receive, failed) =>
    startThread(job, null, { message: (reply) => receive(reply as FromLineThread), failed });
