import type { ModuleDefinition } from '../core/module.ts';
import type { KnownHistory, KnownKind, KnownSeries } from '../core/readings/history.ts';
import type { Settings } from '../settings/settings.schema.ts';

/** Recorded by the service itself, with any modules. */
const ownKinds: Record<string, string> = {
  sleep: 'The machine goes to sleep',
  wake: 'The machine wakes up',
  clock: 'The clock of the machine is set',
  order: 'An order that interrupts the user, such as to sleep',
  agent: 'An agent changes something',
  mqtt: 'An MQTT client changes something',
  access: 'Control is paused or resumed',
  sign_in: 'A wrong token or code was received',
};

/** What can be followed under these settings. */
export type KnownIn = (settings: Settings) => KnownHistory;

/** All series and kinds of events, from the definitions of modules and from settings. */
export async function knownHistory(modules: readonly ModuleDefinition[]): Promise<KnownIn> {
  const all = await Promise.all(modules.map(async ({ name, history }) => ({ name, given: await history?.() })));
  return (settings) => {
    const series = new Map<string, KnownSeries>();
    const kinds = new Map<string, KnownKind>(
      Object.entries(ownKinds).map(([kind, description]) => [kind, { module: null, description }]),
    );
    for (const { name, given } of all) {
      const recorded = { ...given?.series, ...given?.configured?.(settings) };
      for (const [key, one] of Object.entries(recorded)) series.set(key, { ...one, module: name });
      for (const { kind, description } of Object.values(given?.sets ?? {}))
        kinds.set(kind, { module: name, description });
      for (const [kind, description] of Object.entries(given?.events ?? {}))
        kinds.set(kind, { module: name, description });
    }
    return { series, kinds };
  };
}

/** `cpu/0` → `cpu` */
export function baseOf(series: string): string {
  const at = series.indexOf('/');
  return at === -1 ? series : series.slice(0, at);
}
