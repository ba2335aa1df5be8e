import type { EntityState } from '../../core/readings/entities.ts';
import type { Announcer } from './announcer.ts';
import { type ComponentConfig, componentConfig } from './discovery.ts';
import type { Topics } from './topics.ts';
import type { ShownValues } from './values.ts';

export interface Naming {
  topics: Topics;
  id: string;
  deviceName: string;
}

/** The components to announce for a module. */
export function moduleComponents(
  module: string,
  states: readonly EntityState[],
  { topics, id, deviceName }: Naming,
  { knows }: Pick<Announcer, 'knows'>,
): Record<string, ComponentConfig> {
  return Object.fromEntries(
    states.flatMap(({ value, attributes, ...entity }) => {
      // It may never be known on this machine, such as the value of an unreadable sensor. An event has no value.
      const isSilent = value === null && entity.component !== 'event' && entity.isOftenUnknown !== true;
      if (isSilent && !knows(module, entity.key)) return [];
      const described = {
        entity,
        group: module,
        isControl: false,
        hasAttributes: attributes !== undefined,
        hasState: entity.component !== 'image' && entity.component !== 'event',
      };
      return [[entity.key, componentConfig(described, topics, id, deviceName)]];
    }),
  );
}

/** Changes with the available choices. */
export const choicesPrint = (values: ShownValues | undefined): string =>
  JSON.stringify([...(values?.choices ?? [])].map(([key, choices]) => [key, ...choices.keys()]));

/** Changes with the announcement of a module. */
export const printOf = (deviceName: string, states: readonly EntityState[]): string =>
  states.reduce(
    (print, { key, name, value, isOff, options }) =>
      `${print};${key},${name},${value === null},${isOff ?? false},${options?.length ?? 0}`,
    deviceName,
  );
