import { type FromModuleThread, isolatedSource } from '../../core/isolated-source.ts';
import type { ModuleDefinition, Source, SourceContext } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';

/** Sources in threads, one per module: a blocked one does not affect the others. */
export function isolateInThread(
  context: SourceContext,
  { clock, startThread }: Pick<Host, 'clock' | 'startThread'>,
): (definition: ModuleDefinition) => Promise<Source<unknown>> {
  return async ({ name }) =>
    isolatedSource(
      (message, failed) =>
        startThread('module', name, { message: (received) => message(received as FromModuleThread), failed }),
      context.settings,
      clock,
    );
}
