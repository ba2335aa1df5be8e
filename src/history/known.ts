import type { KnownHistory, KnownKind, KnownSeries } from '../core/history.ts';
import type { ModuleDefinition } from '../core/module.ts';

/** Noted by the service itself, whatever the modules are. */
const ownKinds: Record<string, string> = {
  sleep: 'The machine goes to sleep',
  wake: 'The machine wakes up',
  clock: 'The clock of the machine is set',
  order: 'The machine is told to do something that interrupts the user, such as to sleep',
  agent: 'An agent changes something',
  mqtt: 'Somebody at the MQTT broker changes something',
  access: 'Control is paused or resumed',
};

/** Every series and every kind of event that modules have, by their definitions. */
export async function knownHistory(modules: readonly ModuleDefinition[]): Promise<KnownHistory> {
  const series = new Map<string, KnownSeries>();
  const kinds = new Map<string, KnownKind>(
    Object.entries(ownKinds).map(([kind, description]) => [kind, { module: null, description }]),
  );
  for (const { name, history } of modules) {
    const given = await history?.();
    if (given === undefined) continue;
    for (const [key, recorded] of Object.entries(given.series)) series.set(key, { ...recorded, module: name });
    for (const { kind, came, went } of Object.values(given.sets ?? {}))
      kinds.set(kind, { module: name, description: `${came('…')}, or ${went('…')}` });
    for (const [kind, description] of Object.entries(given.events ?? {}))
      kinds.set(kind, { module: name, description });
  }
  return { series, kinds };
}
