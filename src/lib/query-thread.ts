import type { Clock } from './clock.ts';
import type { Thread, ThreadEvents } from './thread.ts';

interface RunningThread<R> {
  thread: Promise<Thread>;
  settle(reply: R): void;
}

/**
 * A thread that answers one query after another, each within `silentMs`. One that hangs is abandoned, and the next query gets another.
 * `lost`: the reply of a thread that ended.
 */
export function openQueryThread<R>(
  start: (events: ThreadEvents) => Promise<Thread>,
  { clock, silentMs, lost }: { clock: Clock; silentMs: number; lost(reason: string): R },
) {
  let running: RunningThread<R> | null = null;

  const begin = (): RunningThread<R> => {
    const begun: RunningThread<R> = {
      settle: () => {},
      thread: start({
        message: (reply) => begun.settle(reply as R),
        failed: (reason) => {
          if (running === begun) running = null;
          begun.settle(lost(reason));
        },
      }),
    };
    return begun;
  };

  return {
    /** null: it did not answer in time; `answered` is called when it answers later. */
    async ask(query: unknown, answered: () => void = () => {}): Promise<R | null> {
      running ??= begin();
      const current = running;
      const thread = await current.thread;
      return await new Promise((resolve) => {
        const giveUp = clock.after(silentMs, () => {
          running = null;
          current.settle = () => {
            answered();
            thread.end();
          };
          resolve(null);
        });
        current.settle = (reply) => {
          giveUp();
          answered();
          resolve(reply);
        };
        thread.send(query);
      });
    },
    end: () => void running?.thread.then((thread) => thread.end()).catch(() => {}),
  };
}
