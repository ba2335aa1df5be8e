import type { ActionDefinition } from '../../core/action.ts';
import { type DescribedEntity, stateClassOf } from '../../core/entities/described-entity.ts';
import type { DescribedEntityJson } from './entities.schema.ts';

/** It stays readable while the machine sleeps. */
export const powerState: DescribedEntityJson = {
  key: 'power_state',
  platform: 'sensor',
  name: 'Power state',
  group: 'power',
  device_class: 'enum',
  options: ['on', 'sleeping', 'off'],
  icon: 'mdi:power-settings',
};

/** `control`: the action that a value for it runs; null: it cannot be controlled. */
export function entityJson(
  { entity, group, hasState }: DescribedEntity,
  control: ActionDefinition | null,
): DescribedEntityJson {
  const { key, component, name, deviceClass, unit, isDiagnostic, isOff, icon, options, min, max, step, eventTypes } =
    entity;
  const stateClass = stateClassOf(entity);
  return {
    key,
    platform: component,
    name,
    group: group ?? control?.name ?? '',
    ...(deviceClass !== undefined && { device_class: deviceClass }),
    ...(unit !== undefined && { unit }),
    ...(stateClass !== undefined && { state_class: stateClass }),
    ...(isDiagnostic && { category: 'diagnostic' as const }),
    ...(isOff && { enabled: false }),
    ...(icon !== undefined && { icon }),
    ...(options !== undefined && { options: [...options] }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
    ...(eventTypes !== undefined && { event_types: [...eventTypes] }),
    ...(control !== null && {
      control: { action: control.name, scopes: [...control.scopes], effect: control.effect, has_state: hasState },
    }),
  };
}
