import fs from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import { codeOf } from '../../../lib/errors.ts';
import type { StartThread, Thread, ThreadJob } from '../../../lib/thread.ts';

const idleMs = 30_000;

type Reply = { found: FoundSpace } | { code: string | null };

/**
 * Queries one file system at a time in a thread that exists while it is needed.
 * It is never ended while it waits: that would block the runtime.
 */
export function createSpareThread(clock: Clock, startThread: StartThread): (place: Uint8Array) => Promise<FoundSpace> {
  let running: Promise<Thread> | null = null;
  let settle: (reply: Reply | { lost: string }) => void = () => {};
  let cancelIdle = () => {};

  const end = () => {
    void running?.then((thread) => thread.end()).catch(() => {});
    running = null;
  };

  const lost = (reason: string) => {
    running = null;
    settle({ lost: reason });
  };

  return async (place) => {
    cancelIdle();
    running ??= startThread('space', null, { message: (reply) => settle(reply as Reply), failed: lost });
    const thread = await running;
    try {
      const reply = await new Promise<Reply | { lost: string }>((resolve) => {
        settle = resolve;
        thread.send(place);
      });
      if ('found' in reply) return reply.found;
      if ('lost' in reply) throw new Error(`the thread that reads the space of disks ended: ${reply.lost}`);
      throw Object.assign(new Error(`statfs: ${reply.code}`), { code: reply.code });
    } finally {
      cancelIdle = clock.after(idleMs, end);
    }
  };
}

export const serveSpace: ThreadJob = async (post) => ({
  receive(place) {
    try {
      post({ found: { ...fs.statfsSync(Buffer.from(place as Uint8Array)) } } satisfies Reply);
    } catch (error) {
      post({ code: codeOf(error) } satisfies Reply);
    }
  },
});

export interface FoundSpace {
  /** Missing in other runtimes. */
  frsize?: number;
  bsize: number;
  blocks: number;
  bfree: number;
  bavail: number;
  files: number;
  ffree: number;
}
