import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../../lib/clock.ts';
import type { FoundSpace } from './volumes.ts';

const idleMs = 30_000;

/** As text, since a thread needs a file of its own otherwise, also in the compiled service. */
const code = `
const { parentPort } = require('node:worker_threads');
const { statfsSync } = require('node:fs');
parentPort.on('message', (place) => {
  try {
    parentPort.postMessage({ found: { ...statfsSync(Buffer.from(place)) } });
  } catch (error) {
    parentPort.postMessage({ code: error.code });
  }
});`;

/**
 * Asks one file system at a time in a thread that lives as long as it is needed.
 * It is never ended while it waits: the runtime would wait for it with everything it does.
 */
export function createSpareThread(clock: Clock): (place: Uint8Array) => Promise<FoundSpace> {
  let running: Worker | null = null;
  let cancelIdle = () => {};

  const end = () => {
    void running?.terminate();
    running = null;
  };

  const start = async (): Promise<Worker> => {
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(code, { eval: true });
    worker.unref();
    return worker;
  };

  return async (place) => {
    cancelIdle();
    running ??= await start();
    const worker = running;
    const lost = () => {
      if (running === worker) running = null;
    };
    try {
      return await new Promise<FoundSpace>((resolve, reject) => {
        worker.once('message', ({ found, code: problem }: { found?: FoundSpace; code?: string }) => {
          if (found === undefined) reject(Object.assign(new Error(`statfs: ${problem}`), { code: problem }));
          else resolve(found);
        });
        worker.once('error', (error) => {
          lost();
          reject(error);
        });
        worker.postMessage(place);
      });
    } finally {
      worker.removeAllListeners();
      worker.on('error', lost);
      cancelIdle = clock.after(idleMs, end);
    }
  };
}
