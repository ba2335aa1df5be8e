import type { Clock } from '../../../lib/clock.ts';
import type { StartThread, Thread } from '../../../lib/thread.ts';
import type { DriveReply, DriveRequest } from './drive-commands.thread.ts';

export type DriveThread = ReturnType<typeof openDriveThread>;

/** More than the kernel allows for the few commands together. */
const silentMs = 45_000;

/** A thread that answers one query after another. A thread that hangs is abandoned, and the next query gets another. */
export function openDriveThread(startThread: StartThread, clock: Clock) {
  let running: RunningThread | null = null;

  const start = (): RunningThread => {
    const started: RunningThread = {
      settle: () => {},
      thread: startThread('disks.drives', null, {
        message: (reply) => started.settle(reply as DriveReply),
        failed: (reason) => {
          if (running === started) running = null;
          started.settle({ kind: 'failed', problem: reason });
        },
      }),
    };
    return started;
  };

  return {
    /** null: it did not answer in time; `answered` is called when it answers later. */
    async ask(request: DriveRequest, answered: () => void): Promise<DriveReply | null> {
      running ??= start();
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
        thread.send(request);
      });
    },
    end: () => void running?.thread.then((thread) => thread.end()).catch(() => {}),
  };
}

interface RunningThread {
  thread: Promise<Thread>;
  settle(reply: DriveReply): void;
}
