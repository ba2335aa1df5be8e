import type { Metric, Sample } from './metrics.ts';
import { isGroup, type PrometheusUse, type Row, type RowGroup } from './rows.ts';

/** The Prometheus metrics of a table, in its order; rows with one metric name become one metric. */
export function metricsFrom<T>(rows: readonly (Row<T> | RowGroup<T>)[], payload: T): Metric[] {
  const byName = new Map<string, Metric>();
  const add = <P>(row: Row<P>, entry: P, labels: Record<string, string>) => {
    const use = prometheusOf(row);
    if (use === null) return;
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
    if (!isGroup(row)) {
      add(row, payload, {});
      continue;
    }
    const entries = row.list(payload);
    for (const inner of row.rows) for (const entry of entries) add(inner, entry, row.naming.label?.(entry) ?? {});
  }
  return [...byName.values()];
}

export function prometheusOf<P>({ prometheus }: Row<P>): PrometheusUse<P> | null {
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

/** Divided by whole numbers where the factor is a fraction: 7 / 100 is 0.07, 7 * 0.01 is not. */
function scaled(value: number, scale = 1): number {
  return scale < 1 ? value / Math.round(1 / scale) : value * scale;
}
