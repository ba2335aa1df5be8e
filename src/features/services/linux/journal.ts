import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type Clock, settledWithin } from '../../../lib/clock.ts';
import type { StartThread, Thread } from '../../../lib/thread.ts';
import type { ServiceLogsOutput } from '../services.schema.ts';

export interface JournalRequest {
  unit: string;
  scope: 'system' | 'user';
  /** Owner of a user unit; null: a system unit. */
  uid: number | null;
  lines: number;
}

export type JournalLine = ServiceLogsOutput['lines'][number];

export type JournalReply =
  | { lines: JournalLine[]; truncated: boolean; readable: boolean }
  /** Why the journal cannot be read. */
  | { problem: 'no-library' | 'no-journal' | 'failed'; detail: string };

/** Rejects after a timeout, and while another request is running. */
export type ReadJournal = (request: JournalRequest) => Promise<JournalReply>;

const idleMs = 30_000;
const timeoutMs = 10_000;

/** The last lines of the log of a unit. */
export const journal = definePart<ReadJournal, LinuxHost>({
  name: 'services.journal',
  create: ({ clock, startThread }) => createJournal(clock, startThread),
  absent: async () => ({ problem: 'no-journal', detail: 'A recording holds no journal' }),
});

/**
 * libsystemd searches the files in a thread: the disk may sleep, and the search has no bound.
 * At most one thread runs, with one request at a time.
 */
function createJournal(clock: Clock, startThread: StartThread): ReadJournal {
  let running: Promise<Thread> | null = null;
  let settle: ((reply: JournalReply) => void) | null = null;
  let cancelIdle = () => {};

  const settleWith = (given: JournalReply) => {
    settle?.(given);
    settle = null;
  };
  const lost = (detail: string) => {
    running = null;
    settleWith({ problem: 'failed', detail });
  };
  const end = () => {
    void running?.then((thread) => thread.end()).catch(() => {});
    running = null;
  };

  return async (request) => {
    if (settle !== null) throw new Error('another log is being read; try again');
    cancelIdle();
    const pending = Promise.withResolvers<JournalReply>();
    settle = pending.resolve;
    try {
      running ??= startThread('services.journal', null, {
        message: (given) => settleWith(given as JournalReply),
        failed: lost,
      });
      (await running).send(request);
    } catch (error) {
      settle = null;
      running = null;
      throw error;
    }
    // After a timeout the thread stays busy until it answers; requests are refused until then.
    if (!(await settledWithin(clock, pending.promise, timeoutMs)))
      throw new Error(`the journal did not answer within ${timeoutMs / 1000} s`);
    cancelIdle = clock.after(idleMs, end);
    return await pending.promise;
  };
}
