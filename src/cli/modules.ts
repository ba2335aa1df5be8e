import { type ListFlags, listed } from '../core/list-flags.ts';
import type { ModuleState } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { type KnownSettings, openLocalStore } from './offline-store.ts';
import { findService, type ServiceClient } from './running-service.ts';

export async function listModules(context: CliContext, flags: ListFlags): Promise<void> {
  const { host, print, command, table } = context;
  const schema = async () => (await import('../transports/http/http.schema.ts')).moduleStateSchema;
  const states = await listed(await moduleStates(host, await findService(host)), flags, schema, 'A module');
  if (context.isJson) return await context.answer(states);
  table(
    ['MODULE', 'STATE', 'EVERY', 'READ TIME', 'CONTENTS'],
    states.map(({ name, availability, interval_ms, cost, description }) => [
      name,
      availability,
      `${interval_ms / 1000} s`,
      cost.reads === 0 ? '-' : `${cost.wall_ms.toFixed(1)} ms`,
      description,
    ]),
  );
  if (states.some(({ availability }) => availability !== 'available'))
    print(`\n"${command} doctor" shows what is missing and how to fix it.`);
}

/** As the running service sees them; without one, as this process does. */
export async function moduleStates(
  host: Host,
  service: ServiceClient | null,
  known?: KnownSettings,
): Promise<ModuleState[]> {
  if (service === null) return (await openLocalStore(host, known)).describe();
  const states = await service.get(localRoutes.modules);
  return Array.isArray(states) ? states : [];
}
