import type { ActionDefinition, ActionEntities } from '../../core/action.ts';
import type { Control, EntityDescription, EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import type { OfferedControl } from './commands.ts';
import { type ComponentConfig, componentConfig, type DescribedEntity } from './discovery.ts';
import type { Topics } from './topics.ts';
import type { ShownValues } from './values.ts';

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

  /** null: not granted or not available. */
  const usable = async (action: ActionDefinition): Promise<ActionEntities | null> => {
    const { mqtt } = settings.current();
    if (action.entities === undefined || !action.scopes.some((scope) => mqtt.scopes.some((one) => one === scope)))
      return null;
    return (await service.unavailable(action)) === null ? await action.entities() : null;
  };

  return {
    async refresh(shown, deviceName) {
      const next = new Map<string, OfferedControl>();
      const configs = new Map<string, ActionConfigs>();
      for (const action of service.actions) {
        const entities = await usable(action);
        if (entities === null) continue;
        const { shown: shownHere = [] } = entities;
        const controls = entities.controls?.(settings.current()) ?? [];
        const declared = new Set([...controls, ...shownHere].map(({ key }) => key));
        const described = [
          ...controls.flatMap((control) => {
            const of = describeControl(control, shown);
            if (of === null) return [];
            next.set(control.key, { action, control });
            return [of];
          }),
          ...shownHere.map((entity) => describeShown(entity, action.name)),
        ];
        configs.set(`action ${action.name}`, {
          components: Object.fromEntries(
            described.map((one) => [one.entity.key, componentConfig(one, topics, id, deviceName)]),
          ),
          declares: (key) => declared.has(key),
        });
      }
      offered = next;
      return configs;
    },
    offered: (key) => offered.get(key) ?? null,
    keys: () => [...offered.keys()],
    async follow(changed) {
      const stops: (() => void)[] = [];
      for (const action of service.actions) {
        const { follow } = (await usable(action)) ?? {};
        if (follow !== undefined) stops.push(follow(service.keep, (states) => changed(action.name, states)));
      }
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** null: its module has no such value on this machine. */
function describeControl(control: Control, shown: ReadonlyMap<string, ShownValues>): DescribedEntity | null {
  const { toInput: _toInput, module, ...entity } = control;
  const plain = { isControl: true, hasAttributes: false };
  if (module === undefined) return { entity, group: null, hasState: false, ...plain };
  const known = shown.get(module);
  if (known?.controlled.has(control.key) !== true) return null;
  const choices = known.choices.get(control.key);
  const described: EntityDescription = choices === undefined ? entity : { ...entity, options: [...choices.keys()] };
  if (choices?.size === 0) return null;
  return { entity: described, group: module, hasState: true, ...plain };
}

const describeShown = (entity: EntityDescription, action: string): DescribedEntity => ({
  entity,
  group: action,
  isControl: false,
  hasAttributes: false,
  hasState: entity.component !== 'event',
});
