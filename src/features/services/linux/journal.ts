import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { StartThread, Thread } from '../../../lib/thread.ts';

/** Which lines, of which unit. */
export interface JournalQuestion {
  unit: string;
  scope: 'system' | 'user';
  /** The user whose unit it is; null: one of the machine. */
  uid: number | null;
  lines: number;
}

export interface JournalLine {
  /** Unix seconds. */
  at: number;
  /** 0 emergency, 3 error, 4 warning, 6 information, 7 for developers; null: it has none. */
  priority: number | null;
  /** As its program wrote it; invalid bytes are replaced, long lines cut. */
  text: string;
}

export type JournalAnswer =
  | { lines: JournalLine[]; truncated: boolean; readable: boolean }
  /** Why there are none. */
  | { problem: 'no-library' | 'no-journal' | 'failed'; detail: string };

/** Rejects when it takes too long, or when another question still does. */
export type ReadJournal = (question: JournalQuestion) => Promise<JournalAnswer>;

const idleMs = 30_000;
const patienceMs = 10_000;

/** The last lines of the log of a unit. */
export const journal = definePart<ReadJournal, LinuxHost>({
  name: 'services.journal',
  create: ({ clock, startThread }) => createJournal(clock, startThread),
  absent: async () => ({ problem: 'no-journal', detail: 'A recording holds no journal' }),
});

/**
 * The library of systemd reads its files, in a thread: they may lie on a disk that sleeps, and are searched without an end in sight.
 * There is one such thread at most, for one question at a time.
 */
export function createJournal(clock: Clock, startThread: StartThread): ReadJournal {
  let running: Promise<Thread> | null = null;
  let settle: ((answer: JournalAnswer) => void) | null = null;
  let cancelIdle = () => {};

  const answer = (given: JournalAnswer) => {
    settle?.(given);
    settle = null;
  };
  const lost = (detail: string) => {
    running = null;
    answer({ problem: 'failed', detail });
  };
  const end = () => {
    void running?.then((thread) => thread.end()).catch(() => {});
    running = null;
  };

  return async (question) => {
    if (settle !== null) throw new Error('another question about a log has not been answered yet; try again');
    cancelIdle();
    const asked = Promise.withResolvers<JournalAnswer>();
    const mine = (given: JournalAnswer) => asked.resolve(given);
    settle = mine;
    try {
      running ??= startThread('services.journal', null, {
        message: (given) => answer(given as JournalAnswer),
        failed: lost,
      });
      (await running).send(question);
    } catch (error) {
      settle = null;
      running = null;
      throw error;
    }
    // What does not answer keeps the thread until it does: nothing else can be begun meanwhile.
    const cancel = clock.after(patienceMs, () =>
      asked.reject(new Error(`the journal did not answer within ${patienceMs / 1000} s`)),
    );
    try {
      return await asked.promise;
    } finally {
      cancel();
      if (settle === null) cancelIdle = clock.after(idleMs, end);
    }
  };
}
