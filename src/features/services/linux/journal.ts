import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type Clock, settledWithin } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { createThreadCalls } from '../../../lib/thread-calls.ts';
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
  const calls = createThreadCalls(startThread, clock, { job: 'services.journal', idleMs });
  let reading: Promise<JournalReply> | null = null;
  return async (request) => {
    if (reading !== null) throw new Error('another log is being read; try again');
    const current = calls
      .ask(request)
      .then(
        (reply) => reply as JournalReply,
        (error): JournalReply => ({ problem: 'failed', detail: messageOf(error) }),
      )
      .finally(() => {
        reading = null;
      });
    reading = current;
    // After a timeout the thread stays busy until it answers; requests are refused until then.
    if (!(await settledWithin(clock, current, timeoutMs)))
      throw new Error(`the journal did not answer within ${timeoutMs / 1000} s`);
    return await current;
  };
}
