import type { ActionDefinition } from '../../core/action.ts';
import { type OfferedControl, offeredActions, usableEntities } from '../../core/entities/described-entity.ts';
import type { ShownValues } from '../../core/entities/shown-values.ts';
import type { EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { stopAll } from '../../lib/closing.ts';
import { type ComponentConfig, componentsOf } from './discovery.ts';
import type { Topics } from './topics.ts';

export interface ActionConfigs {
  components: Record<string, ComponentConfig>;
  /** Whether the settings still declare this key; it may be unavailable now. */
  declares(key: string): boolean;
}

export type Controls = ReturnType<typeof createControls>;

/** The controls: actions with a granted scope that are available on this machine. */
export function createControls(
  { service, settings }: Pick<TransportParts, 'service' | 'settings'>,
  topics: Topics,
  id: string,
) {
  let offered = new Map<string, OfferedControl>();
  const isGranted = ({ scopes }: ActionDefinition) => {
    const { mqtt } = settings.current();
    return scopes.some((scope) => mqtt.scopes.some((one) => one === scope));
  };
  return {
    /** Checks availability again; returns the configurations to announce, by action. */
    async refresh(shown: ReadonlyMap<string, ShownValues>, deviceName: string): Promise<Map<string, ActionConfigs>> {
      const found = await offeredActions(service, settings.current(), isGranted, shown);
      offered = new Map(
        found.flatMap(({ action, controls }) => controls.map((control) => [control.key, { action, control }])),
      );
      return new Map(
        found.map(({ action, described, declares }) => [
          `action ${action.name}`,
          {
            components: componentsOf(described, topics, id, deviceName),
            declares,
          },
        ]),
      );
    },
    offered: (key: string) => offered.get(key) ?? null,
    keys: () => [...offered.keys()],
    /** Reports the states that actions show. Resolves to the function that stops it. */
    async follow(changed: (action: string, states: Record<string, EntityValue>) => void): Promise<() => void> {
      const stops: (() => void)[] = [];
      for (const action of service.actions) {
        const { follow } = (await usableEntities(service, action, isGranted)) ?? {};
        if (follow !== undefined) stops.push(follow(service.keep, (states) => changed(action.name, states)));
      }
      return stopAll(stops);
    },
  };
}
