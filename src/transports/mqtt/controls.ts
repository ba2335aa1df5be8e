import type { ActionDefinition } from '../../core/action.ts';
import { type OfferedControl, offeredActions, usableEntities } from '../../core/entities/described-entity.ts';
import type { ShownValues } from '../../core/entities/shown-values.ts';
import type { EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { stopAll } from '../../lib/closing.ts';
import { type ComponentConfig, componentsOf } from './discovery.ts';
import type { Topics } from './topics.ts';

/** The controls: actions with a granted scope that are available on this machine. */
export interface Controls {
  /** Checks availability again; returns the configurations to announce, by action. */
  refresh(shown: ReadonlyMap<string, ShownValues>, deviceName: string): Promise<Map<string, ActionConfigs>>;
  offered(key: string): OfferedControl | null;
  keys(): string[];
  /** Reports the states that actions show. Resolves to the function that stops it. */
  follow(changed: (action: string, states: Record<string, EntityValue>) => void): Promise<() => void>;
}

export interface ActionConfigs {
  components: Record<string, ComponentConfig>;
  /** Whether the settings still declare this key; it may be unavailable now. */
  declares(key: string): boolean;
}

export function createControls(
  { service, settings }: Pick<TransportParts, 'service' | 'settings'>,
  topics: Topics,
  id: string,
): Controls {
  let offered = new Map<string, OfferedControl>();
  const isGranted = ({ scopes }: ActionDefinition) => {
    const { mqtt } = settings.current();
    return scopes.some((scope) => mqtt.scopes.some((one) => one === scope));
  };
  return {
    async refresh(shown, deviceName) {
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
    offered: (key) => offered.get(key) ?? null,
    keys: () => [...offered.keys()],
    async follow(changed) {
      const stops: (() => void)[] = [];
      for (const action of service.actions) {
        const { follow } = (await usableEntities(service, action, isGranted)) ?? {};
        if (follow !== undefined) stops.push(follow(service.keep, (states) => changed(action.name, states)));
      }
      return stopAll(stops);
    },
  };
}
