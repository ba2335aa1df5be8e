import type { Measurements, ReadingPair, SourceModule } from './measurements.ts';

/** The versions of the API: of Glances 3 and of Glances 4. */
export type GlancesVersion = 3 | 4;

/** A plugin of Glances, made from modules. */
export interface GlancesPlugin {
  needs: readonly SourceModule[];
  /** What Glances answers where there is nothing. */
  empty: object;
  /** undefined: there is no such thing here. */
  make(found: Measurements, version: GlancesVersion, nowMs: number): unknown;
}

/** A plugin of one module. */
export function fromModule<M extends SourceModule>(
  module: M,
  empty: object,
  make: (pair: ReadingPair<M>, version: GlancesVersion) => unknown,
): GlancesPlugin {
  return {
    needs: [module],
    empty,
    make(found, version) {
      const pair: ReadingPair<M> | null | undefined = found[module];
      return pair === null || pair === undefined ? undefined : make(pair, version);
    },
  };
}

/** Glances 3 has the difference since the last update, Glances 4 also the counter and the rate. */
export function counted(
  values: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>> | undefined,
  seconds: number,
  version: GlancesVersion,
): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    // A counter that was reset has grown by nothing.
    const grown = Math.max(0, value - (before?.[name] ?? value));
    fields[name] = grown;
    if (version === 3) continue;
    fields[`${name}_gauge`] = value;
    fields[`${name}_rate_per_sec`] = seconds > 0 ? Math.round(grown / seconds) : 0;
  }
  // Clients divide by it.
  fields.time_since_update = seconds > 0 ? seconds : 1;
  return fields;
}

/** One decimal, as Glances. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;
