import { type FromThread, isolatedSource, type ToThread } from './core/isolated.ts';
import type { ModuleDefinition, Source, SourceContext } from './core/module.ts';
import type { Clock } from './lib/clock.ts';
import { messageOf } from './lib/errors.ts';

/** Sources in worker threads, one a module: what blocks one blocks no other. */
export function isolateInWorker(
  context: SourceContext,
  clock: Clock,
): (definition: ModuleDefinition) => Promise<Source<unknown>> {
  return async ({ name }) => {
    const { Worker } = await import('node:worker_threads');
    return isolatedSource(
      (onMessage, ended) => {
        const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { module: name } });
        worker.unref();
        worker.on('message', (message: FromThread) => onMessage(message));
        worker.on('error', (error) => ended(messageOf(error)));
        worker.on('exit', (code) => ended(`exit code ${code}`));
        return {
          send: (message) => worker.postMessage(message),
          end() {
            worker.removeAllListeners();
            worker.on('error', () => {});
            // Never terminate(): where the thread is blocked in the kernel, that blocks this one for good. It ends when it can.
            worker.postMessage({ kind: 'end' } satisfies ToThread);
          },
        };
      },
      context.settings,
      clock,
    );
  };
}
