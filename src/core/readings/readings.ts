import type { Host } from '../../host/host.ts';
import { loadFor, type PerPlatform } from '../platform.ts';
import { entitiesFrom } from './entities.from-rows.ts';
import type { EarlierPayload, EntityState, ModuleEntities } from './entities.ts';
import { historyFrom } from './history.from-rows.ts';
import type { HistorySampler, ModuleHistory, Moment, RecordedSet } from './history.ts';
import { metricsFrom } from './metrics.from-rows.ts';
import type { Metric, ModuleMetrics } from './metrics.ts';
import { otlpFrom } from './otlp.from-rows.ts';
import type { ModuleOtlp } from './otlp.ts';
import type { ModuleProblem, ModuleProblems } from './problems.ts';
import type { Group, Row } from './rows.ts';

/** The numbers and states of a feature's payload, each with all its published names: `<name>.readings.ts`. */
export interface ReadingsTable<T> {
  /** One entry per reading; `each(…)` for the entries of a list. */
  rows: readonly (Row<T> | Group<T>)[];
  /** Metrics that only a scrape reads; they replace those of the rows with the same name. */
  scrape?: PerPlatform<Metric[] | Promise<Metric[]>, [T]>;
  /** All metrics without the payload, where reading the payload costs more than the numbers are worth. */
  scrapeAlone?: PerPlatform<Promise<Metric[]>>;
  /** Metrics that fit no row. */
  metrics?(payload: T): Metric[];
  /** OTLP metrics that are computed from several others, and what identifies the machine. Created once per exporter. */
  otlp?(): Partial<ModuleOtlp>;
  /** How entities are published, and entities that fit no row. Created once per publisher. */
  entities?: Publishing<T> | ((host: Host) => Publishing<T> | Promise<Publishing<T>>);
  /** What is recorded beside the rows. */
  history?: {
    /** Series that only a sampler finds. */
    series?: ModuleHistory<T>['series'];
    sets?: Record<string, RecordedSet & { members?(payload: T): readonly string[] }>;
    /** Whatever fits neither a row nor a set. */
    read?(payload: T, moment: Moment): void;
  } & Pick<ModuleHistory<T>, 'configured' | 'events' | 'worthReading'>;
  /** A cheaper way to find the recorded series than reading the payload. */
  sampler?: PerPlatform<HistorySampler>;
  problems?: Record<string, ModuleProblem<T>>;
  /** The source announces changes of the problems, so that they are followed instead of checked once a minute. */
  announcesProblems?: boolean;
}

/** Options of entities, and those that are computed. */
export interface Publishing<T> extends Omit<ModuleEntities<T>, 'read'> {
  read?(payload: T, before: EarlierPayload<T> | null): EntityState[];
}

/** What transports, the recorder and alerts use of a table. */
export interface Readings<T = unknown> {
  metrics: ModuleMetrics<T> | null;
  otlp: (() => ModuleOtlp) | null;
  entities: ((host: Host) => Promise<ModuleEntities<T>>) | null;
  history: ModuleHistory<T> | null;
  problems: ModuleProblems<T> | null;
}

export function readings<T>(table: ReadingsTable<T>): Readings<T> {
  const { rows, scrape, scrapeAlone, problems, announcesProblems = false } = table;
  const has = (part: 'prometheus' | 'otlp' | 'entity' | 'record') =>
    rows.some((row) => ('rows' in row ? row.rows.some((inner) => inner[part]) : row[part]));
  return {
    metrics:
      has('prometheus') || table.metrics || scrape || scrapeAlone
        ? {
            read: (payload) => [...metricsFrom(rows, payload), ...(table.metrics?.(payload) ?? [])],
            ...(scrape && { beside: async (payload, host) => (await loadFor(host, scrape))?.(payload) ?? [] }),
            ...(scrapeAlone && { alone: async (host) => (await loadFor(host, scrapeAlone))?.() ?? null }),
          }
        : null,
    otlp: has('otlp') || table.otlp ? () => otlpFrom(rows, table.otlp?.()) : null,
    entities: has('entity') || table.entities ? (host) => publishing(table, host) : null,
    history: has('record') || table.history || table.sampler ? historyFrom(table) : null,
    problems: problems ? { problems, announced: announcesProblems } : null,
  };
}

async function publishing<T>({ rows, entities }: ReadingsTable<T>, host: Host): Promise<ModuleEntities<T>> {
  const { read, ...options } = typeof entities === 'function' ? await entities(host) : (entities ?? {});
  return {
    ...options,
    read: (payload, before) => [...entitiesFrom(rows, payload, before), ...(read?.(payload, before) ?? [])],
  };
}
