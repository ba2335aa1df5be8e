import { type FromModuleThread, isolatedSource } from '../../core/isolated-source.ts';
import type { ModuleDefinition, Source, SourceContext } from '../../core/module.ts';
import type { Clock } from '../../lib/clock.ts';
import { startThread } from './start-thread.ts';

/** Sources in threads, one per module: a blocked one does not affect the others. */
export function isolateInThread(
  context: SourceContext,
  clock: Clock,
): (definition: ModuleDefinition) => Promise<Source<unknown>> {
  return async ({ name }) =>
    isolatedSource(
      (message, failed) =>
        startThread('module', name, { message: (received) => message(received as FromModuleThread), failed }),
      context.settings,
      clock,
    );
}
