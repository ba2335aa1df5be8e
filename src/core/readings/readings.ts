import type { Host } from '../../host/host.ts';
import { loadFor } from '../platform.ts';
import { entitiesFrom } from './entities.from-rows.ts';
import type { ModuleEntities } from './entities.ts';
import { historyFrom } from './history.from-rows.ts';
import type { ModuleHistory } from './history.ts';
import { type Metric, type ModuleMetrics, type Sample, scaled } from './metrics.ts';
import type { FoundMetrics, ModuleOtlp, OtlpMetric, OtlpPoint } from './otlp.ts';
import type { ModuleProblems } from './problems.ts';
import { isGroup, type OtlpUse, type PrometheusUse, type Row, type RowGroup } from './rows.ts';
import type { ReadingsTable } from './table.ts';

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

/** OTLP metrics have the same numbers as a scrape, so no further reads are needed. */
function otlpFrom<T>(rows: readonly (Row<T> | RowGroup<T>)[], computed: Partial<ModuleOtlp> = {}): ModuleOtlp {
  const uses = rows
    .flatMap((row): readonly Row<unknown>[] => (isGroup(row) ? row.rows : [row as Row<unknown>]))
    .flatMap((row) => (row.otlp ?? []).map((use) => ({ use, metric: prometheusOf(row)?.name ?? '' })));
  return {
    ...computed,
    metrics(found, nowMs) {
      const byName = new Map<string, OtlpMetric>();
      for (const { use, metric } of uses) {
        const { name, unit, kind, isWhole } = use;
        const one = byName.get(name) ?? { name, unit, kind, isWhole, points: [] };
        byName.set(name, one);
        one.points.push(...pointsOf(use, metric, found));
      }
      return [...byName.values(), ...(computed.metrics?.(found, nowMs) ?? [])];
    },
  };
}

function pointsOf({ attributes = {}, scale = 1, shareOf }: OtlpUse, metric: string, found: FoundMetrics): OtlpPoint[] {
  const whole = shareOf === undefined ? 1 : found(shareOf)[0]?.value;
  if (!whole) return [];
  return found(metric).flatMap(({ labels, value }) => {
    const own = typeof attributes === 'function' ? attributes(labels, value) : attributes;
    return own === null ? [] : [{ attributes: own, value: (value * scale) / whole }];
  });
}

/** The Prometheus metrics of a table, in its order; rows with one metric name become one metric. */
function metricsFrom<T>(rows: readonly (Row<T> | RowGroup<T>)[], payload: T): Metric[] {
  const byName = new Map<string, Metric>();
  const add = <P>(row: Row<P>, entry: P, labels: Record<string, string>) => {
    const use = prometheusOf(row);
    if (use === null || (use.value ?? row.value) === undefined) return;
    const metric = byName.get(use.name) ?? {
      name: use.name,
      type: row.kind ?? 'gauge',
      help: row.help ?? '',
      samples: [],
    };
    byName.set(use.name, metric);
    metric.samples.push(...samplesOf(row, use, entry, labels));
  };
  for (const row of rows) {
    if (!isGroup(row)) add(row, payload, {});
    else {
      const entries = row.list(payload).map((entry) => ({ entry, labels: row.naming.label?.(entry) ?? {} }));
      for (const inner of row.rows) for (const { entry, labels } of entries) add(inner, entry, labels);
    }
  }
  return [...byName.values()];
}

function prometheusOf<P>({ prometheus }: Row<P>): PrometheusUse<P> | null {
  return prometheus === undefined ? null : typeof prometheus === 'string' ? { name: prometheus } : prometheus;
}

function samplesOf<P>(row: Row<P>, use: PrometheusUse<P>, entry: P, labels: Record<string, string>): Sample[] {
  const value = (use.value ?? row.value)?.(entry);
  if (value === null || value === undefined) return [];
  const all = { ...labels, ...use.labels };
  if (use.oneOf !== undefined)
    return use.oneOf.map((state) => ({ labels: { ...all, state }, value: Number(value === state) }));
  return typeof value === 'string' ? [] : [{ labels: all, value: scaled(Number(value), use.scale) }];
}
