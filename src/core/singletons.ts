import type { ActionParts } from './action.ts';

/** The state of actions between their runs, one of each per service. */
export interface Singletons {
  keep<T extends object>(make: (parts: ActionParts) => T): T;
  close(): Promise<void>;
}

export function createSingletons(parts: ActionParts): Singletons {
  const things = new Map<unknown, object>();
  return {
    keep<T extends object>(make: (parts: ActionParts) => T): T {
      const thing = things.get(make) ?? make(parts);
      things.set(make, thing);
      // The keys of the map create its values.
      return thing as T;
    },
    async close() {
      const all = [...things.values()];
      things.clear();
      await Promise.allSettled(all.map(async (thing) => await closeOf(await thing)));
    },
  };
}

async function closeOf(thing: object): Promise<void> {
  if ('close' in thing && typeof thing.close === 'function') await thing.close();
}
