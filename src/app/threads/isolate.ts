import { type FromModuleThread, isolatedSource } from '../../core/isolated-source.ts';
import type { ModuleDefinition, Source, SourceContext } from '../../core/module.ts';
import type { Clock } from '../../lib/clock.ts';
import { startThread } from './start-thread.ts';

/** Sources in threads, one a module: what blocks one blocks no other. */
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
