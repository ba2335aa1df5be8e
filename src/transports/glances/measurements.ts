import type { ModulePayloads } from '@hostler/client/events.ts';
import type { Sample } from '../../core/readings/metrics.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';

export type SourceModule = Extract<
  keyof ModulePayloads,
  | 'alerts'
  | 'battery'
  | 'containers'
  | 'cpu'
  | 'disks'
  | 'gpus'
  | 'memory'
  | 'networks'
  | 'processes'
  | 'sensors'
  | 'system'
>;

/** A reading with the metrics that come with it, by name; empty where the mapping needs none. */
export interface TakenReading<M extends SourceModule> {
  payload: ModulePayloads[M];
  samples: ReadonlyMap<string, readonly Sample[]>;
  /** Monotonic milliseconds. */
  takenAt: number;
}

/** A reading and the one before it; the same one where the module has no counters. Counters of Glances are differences between the two. */
export interface ReadingPair<M extends SourceModule> {
  now: TakenReading<M>;
  before: TakenReading<M>;
  /** Between the two. */
  seconds: number;
}

/** null: the module does not exist now, or cannot be read. */
export type Measurements = { [M in SourceModule]?: ReadingPair<M> | null };

export interface Measuring {
  take(names: readonly SourceModule[]): Promise<Measurements>;
}

/** Modules with counters. */
const counting: ReadonlySet<SourceModule> = new Set(['cpu', 'disks', 'networks']);
/** The first reading of processes has no processor usage. */
const needsTwo: ReadonlySet<SourceModule> = new Set([...counting, 'processes']);
/** Some values are only in the metrics of a module: load over 5 and 15 minutes, kinds of processor time, threads. */
const withMetrics: ReadonlySet<SourceModule> = new Set(['cpu', 'processes']);

/** As Glances: one state of the machine a second for all clients, so that one that asks for ten plugins gets one moment. */
const shortestMs = 1000;
/** Between the first two readings: longer than the store keeps one. */
const firstPairMs = 300;

/** Reads modules for all clients together. */
export function createMeasuring({ service, host, log }: Pick<TransportParts, 'service' | 'host' | 'log'>): Measuring {
  const { clock } = host;
  const kept = new Map<SourceModule, ReadingPair<SourceModule>>();
  const underWay = new Map<SourceModule, Promise<ReadingPair<SourceModule> | null>>();
  const definitions = new Map(service.modules.map((definition) => [definition.name, definition]));

  const samplesOf = async (name: SourceModule, payload: unknown): Promise<TakenReading<SourceModule>['samples']> => {
    const metrics = withMetrics.has(name) ? await definitions.get(name)?.metrics?.() : null;
    const found = (await metrics?.beside?.(payload, host)) ?? [];
    return new Map(found.map((metric) => [metric.name, metric.samples]));
  };

  const read = async (name: SourceModule): Promise<TakenReading<SourceModule> | null> => {
    try {
      const { payload, takenAt } = await service.store.get(name);
      // The types of the client are generated from the schemas of the modules.
      return { payload: payload as ModulePayloads[SourceModule], takenAt, samples: await samplesOf(name, payload) };
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'not_found'))
        log.debug(`glances: ${name} could not be read: ${messageOf(error)}`);
      return null;
    }
  };

  const measure = async (name: SourceModule): Promise<ReadingPair<SourceModule> | null> => {
    let before = kept.get(name)?.now ?? null;
    if (before === null && needsTwo.has(name)) {
      before = await read(name);
      if (before !== null) await sleep(clock, firstPairMs);
    }
    const now = await read(name);
    if (now === null) return null;
    const first = before !== null && counting.has(name) ? before : now;
    const pair = { now, before: first, seconds: (now.takenAt - first.takenAt) / 1000 };
    kept.set(name, pair);
    return pair;
  };

  const pairOf = (name: SourceModule): ReadingPair<SourceModule> | Promise<ReadingPair<SourceModule> | null> => {
    const recent = kept.get(name);
    if (recent !== undefined && clock.monotonic() - recent.now.takenAt < shortestMs) return recent;
    const shared = underWay.get(name) ?? measure(name).finally(() => underWay.delete(name));
    underWay.set(name, shared);
    return shared;
  };

  return {
    async take(names) {
      // The name of a module decides on the type of its payload.
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await pairOf(name)])));
    },
  };
}
