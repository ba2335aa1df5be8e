import { messageOf } from '../../lib/errors.ts';
import type { StartThread } from '../../lib/thread.ts';

/** The one way to start a thread; what can be done in one stands in thread.ts. */
export const startThread: StartThread = async (job, data, events) => {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { job, data } });
  worker.unref();
  worker.on('message', events.message);
  // One that dies of an error exits after it: told twice, the second time would be taken for the end of the thread that replaces it.
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
      // Never terminate(): where the thread is blocked in the kernel, that blocks this one for good.
      worker.postMessage({ end: true });
    },
  };
};
