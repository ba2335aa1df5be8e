import { messageOf } from '../../lib/errors.ts';
import type { StartThread } from '../../lib/thread.ts';

/** The only way to start a thread; thread.ts has the jobs. */
export const startThread: StartThread = async (job, data, events) => {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { job, data } });
  worker.unref();
  worker.on('message', events.message);
  // A thread that dies of an error exits afterwards: a second report would be taken for the end of its replacement.
  worker.on('error', (error) => {
    worker.removeAllListeners('exit');
    events.failed(messageOf(error));
  });
  worker.on('exit', (code) => events.failed(`exit code ${code}`));
  return {
    send: (message) => worker.postMessage({ message }),
    end() {
      worker.removeAllListeners();
      worker.on('error', () => {});
      // Never terminate(): if the thread is blocked in the kernel, that blocks this one forever.
      worker.postMessage({ end: true });
    },
  };
};
