import { prometheusOf } from './metrics.from-rows.ts';
import type { FoundMetrics, ModuleOtlp, OtlpMetric, OtlpPoint } from './otlp.ts';
import { isGroup, type OtlpUse, type Row, type RowGroup } from './rows.ts';

/** OTLP metrics have the same numbers as a scrape, so no further reads are needed. */
export function otlpFrom<T>(rows: readonly (Row<T> | RowGroup<T>)[], computed: Partial<ModuleOtlp> = {}): ModuleOtlp {
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
