import { describedStates } from '../../core/entities/described-entity.ts';
import type { EntityState } from '../../core/readings/entities.ts';
import type { Announcer } from './announcer.ts';
import { type ComponentConfig, componentConfig } from './discovery.ts';
import type { Topics } from './topics.ts';

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
    describedStates(module, states, (key) => knows(module, key)).map((described) => [
      described.entity.key,
      componentConfig(described, topics, id, deviceName),
    ]),
  );
}
