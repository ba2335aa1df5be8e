import type { Sample } from './metrics.ts';

/** A number under the names of OpenTelemetry. https://opentelemetry.io/docs/specs/semconv/system/system-metrics/ (1.44) */
export interface OtlpMetric {
  name: string;
  /** By UCUM, such as By, s or {packet}. */
  unit: string;
  /** counter: only grows, until it begins anew; sum: parts of a whole, which come and go; gauge: everything else. */
  kind: 'counter' | 'sum' | 'gauge';
  /** What has whole numbers by the conventions; the rest has fractions. */
  isWhole: boolean;
  points: OtlpPoint[];
}

export interface OtlpPoint {
  attributes: OtlpAttributes;
  value: number;
}

/** Numbers among them are whole and not negative. */
export type OtlpAttributes = Record<string, string | number>;

/** How the metrics of a module are called there. It has the same numbers, so that nothing is read for it that a scrape would not read. */
export interface ModuleOtlp {
  metrics(found: FoundMetrics, nowMs: number): OtlpMetric[];
  /** What says which machine this is. */
  resource?(found: FoundMetrics): OtlpAttributes;
  /** When the counters of the machine began, Unix milliseconds; null: not known now. */
  beganMs?(found: FoundMetrics): number | null;
}

/** Samples of the metric with this name, as modules have it for Prometheus (of a counter without its _total); none: it is not known now. */
export type FoundMetrics = (name: string) => readonly Sample[];

const metricOf = (kind: OtlpMetric['kind'], isWhole: boolean) => (name: string, unit: string, points: OtlpPoint[]) => ({
  name,
  unit,
  kind,
  isWhole,
  points,
});

export const otlpCounter = metricOf('counter', true);
export const otlpSeconds = metricOf('counter', false);
export const otlpSum = metricOf('sum', true);
export const otlpGauge = metricOf('gauge', false);
export const otlpWholeGauge = metricOf('gauge', true);

/** The same samples with the attributes of OpenTelemetry instead of labels; null: not to be sent. */
export function otlpPoints(
  samples: readonly Sample[],
  attributesOf: (labels: Record<string, string>) => OtlpAttributes | null = () => ({}),
  convert: (value: number) => number = (value) => value,
): OtlpPoint[] {
  return samples.flatMap(({ labels, value }) => {
    const attributes = attributesOf(labels);
    return attributes === null ? [] : [{ attributes, value: convert(value) }];
  });
}
