import type { Sample } from './metrics.ts';

/** A metric with its OpenTelemetry names. https://opentelemetry.io/docs/specs/semconv/system/system-metrics/ (1.44) */
export interface OtlpMetric {
  name: string;
  /** By UCUM, such as By, s or {packet}. */
  unit: string;
  /** counter: only grows, until it restarts; sum: parts of a whole, which vary; gauge: everything else. */
  kind: 'counter' | 'sum' | 'gauge';
  /** Integers by the conventions; the rest are fractions. */
  isWhole: boolean;
  points: OtlpPoint[];
}

export interface OtlpPoint {
  attributes: OtlpAttributes;
  value: number;
}

/** Numbers among them are non-negative integers. */
export type OtlpAttributes = Record<string, string | number>;

/** The OTLP names of a module's metrics. The numbers are those of a scrape, so no further reads are needed. */
export interface ModuleOtlp {
  metrics(found: FoundMetrics, nowMs: number): OtlpMetric[];
  /** Attributes that identify the machine. */
  resource?(found: FoundMetrics): OtlpAttributes;
  /** When the counters of the machine started, Unix milliseconds; null: not known now. */
  beganMs?(found: FoundMetrics): number | null;
}

/** Samples of the metric with this Prometheus name (a counter without its _total); empty: not known now. */
export type FoundMetrics = (name: string) => readonly Sample[];

const metricOf = (kind: OtlpMetric['kind'], isWhole: boolean) => (name: string, unit: string, points: OtlpPoint[]) => ({
  name,
  unit,
  kind,
  isWhole,
  points,
});

export const otlpCounter = metricOf('counter', true);
export const otlpSum = metricOf('sum', true);
export const otlpGauge = metricOf('gauge', false);

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
