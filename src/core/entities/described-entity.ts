import type { ActionDefinition, ActionEntities } from '../action.ts';
import type { Control, EntityDescription, EntityState } from '../readings/entities.ts';
import type { Service } from '../service.ts';
import type { ShownValues } from './shown-values.ts';

/** An entity as every publisher describes it. */
export interface DescribedEntity {
  entity: EntityDescription;
  /** The group of values that has its state; null: it has no state. */
  group: string | null;
  isControl: boolean;
  hasAttributes: boolean;
  hasState: boolean;
}

export interface OfferedControl {
  action: ActionDefinition;
  control: Control;
}

export interface OfferedAction {
  action: ActionDefinition;
  entities: ActionEntities;
  controls: readonly Control[];
  described: readonly DescribedEntity[];
  /** All that the settings declare is offered. */
  isWhole: boolean;
  /** Whether the settings still declare this key; it may be unavailable now. */
  declares(key: string): boolean;
}

/** The entities of a module. `isKnown`: it was described before. */
export function describedStates(
  module: string,
  states: readonly EntityState[],
  isKnown: (key: string) => boolean,
): DescribedEntity[] {
  return states.flatMap(({ value, attributes, ...entity }) => {
    // It may never be known on this machine, such as the value of an unreadable sensor. An event has no value.
    const isSilent = value === null && entity.component !== 'event' && entity.isOftenUnknown !== true;
    if (isSilent && !isKnown(entity.key)) return [];
    const hasState = entity.component !== 'image' && entity.component !== 'event';
    return [{ entity, group: module, isControl: false, hasAttributes: attributes !== undefined, hasState }];
  });
}

/** Numbers have a history unless stated otherwise. */
export function stateClassOf({ component, stateClass, deviceClass }: EntityDescription): string | undefined {
  if (component !== 'sensor' || stateClass === null || deviceClass === 'enum' || deviceClass === 'timestamp') return;
  return stateClass ?? 'measurement';
}

/** The actions with entities that are granted and available. `shown`: the values of the modules that have been read. */
export async function offeredActions(
  service: Pick<Service, 'actions' | 'unavailable'>,
  settings: Parameters<NonNullable<ActionEntities['controls']>>[0],
  isGranted: (action: ActionDefinition) => boolean,
  shown: ReadonlyMap<string, ShownValues>,
): Promise<OfferedAction[]> {
  const offered: OfferedAction[] = [];
  for (const action of service.actions) {
    const entities = await usableEntities(service, action, isGranted);
    if (entities === null) continue;
    const { shown: shownHere = [] } = entities;
    const all = entities.controls?.(settings) ?? [];
    const usable = all.flatMap((control) => {
      const described = describeControl(control, shown);
      return described === null ? [] : [{ control, described }];
    });
    const declared = new Set([...all, ...shownHere].map(({ key }) => key));
    offered.push({
      action,
      entities,
      controls: usable.map(({ control }) => control),
      described: [
        ...usable.map(({ described }) => described),
        ...shownHere.map((entity) => describeShown(entity, action.name)),
      ],
      isWhole: usable.length === all.length,
      declares: (key) => declared.has(key),
    });
  }
  return offered;
}

/** null: not granted or not available. */
export async function usableEntities(
  service: Pick<Service, 'unavailable'>,
  action: ActionDefinition,
  isGranted: (action: ActionDefinition) => boolean,
): Promise<ActionEntities | null> {
  if (action.entities === undefined || !isGranted(action)) return null;
  return (await service.unavailable(action)) === null ? await action.entities() : null;
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
  hasState: entity.component !== 'event' && entity.component !== 'image',
});
