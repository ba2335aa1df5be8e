import type { StartedThread, StartThread } from '../../lib/thread.ts';

/** Ended threads are a known cause of crashes of the runtime after Windows has slept. So a thread whose job has ended waits for the next one. */
export function keepThreads(startThread: StartThread<StartedThread>): StartThread {
  const free: StartedThread[] = [];
  return async (job, data, events) => {
    const kept = free.pop();
    kept?.take(job, data, events);
    const thread = kept ?? (await startThread(job, data, events));
    let isEnding = false;
    return {
      send: thread.send,
      end() {
        if (!isEnding) thread.free(() => void free.push(thread));
        isEnding = true;
      },
    };
  };
}
