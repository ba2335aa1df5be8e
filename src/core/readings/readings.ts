import type { Host } from '../../host/host.ts';
import { loadFor } from '../platform.ts';
import { entitiesFrom } from './entities.from-rows.ts';
import type { ModuleEntities } from './entities.ts';
import { historyFrom } from './history.from-rows.ts';
import type { ModuleHistory } from './history.ts';
import { metricsFrom } from './metrics.from-rows.ts';
import type { ModuleMetrics } from './metrics.ts';
import { otlpFrom } from './otlp.from-rows.ts';
import type { ModuleOtlp } from './otlp.ts';
import type { ModuleProblems } from './problems.ts';
import type { ReadingsTable } from './table.ts';

/** What transports, the recorder and alerts use of a table. */
export interface ModuleReadings<T = unknown> {
  metrics: ModuleMetrics<T> | null;
  otlp: (() => ModuleOtlp) | null;
  entities: ((host: Host) => Promise<ModuleEntities<T>>) | null;
  history: ModuleHistory<T> | null;
  problems: ModuleProblems<T> | null;
}

export function readings<T>(table: ReadingsTable<T>): ModuleReadings<T> {
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
