import { messageOf } from '../../lib/errors.ts';
import { type StartedThread, type StartThread, threadIsFree } from '../../lib/thread.ts';

/** The only way to start a thread; thread.ts has the jobs. */
export const startThread: StartThread<StartedThread> = async (job, data, events) => {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { job, data } });
  const current = { events, freed: () => {} };
  worker.unref();
  worker.on('message', (message) => {
    if (message === threadIsFree) current.freed();
    else current.events.message(message);
  });
  // A thread that dies of an error exits afterwards: a second report would be taken for the end of its replacement.
  worker.on('error', (error) => {
    worker.removeAllListeners('exit');
    current.events.failed(messageOf(error));
  });
  worker.on('exit', (code) => current.events.failed(`exit code ${code}`));
  return {
    send: (message) => worker.postMessage({ message }),
    end() {
      worker.removeAllListeners();
      worker.on('error', () => {});
      // Never terminate(): if the thread is blocked in the kernel, that blocks this one forever.
      worker.postMessage({ end: true });
    },
    free(freed) {
      Object.assign(current, { events: { message: () => {}, failed: () => {} }, freed });
      worker.postMessage({ free: true });
    },
    take(nextJob, nextData, nextEvents) {
      current.events = nextEvents;
      worker.postMessage({ job: nextJob, data: nextData });
    },
  };
};
