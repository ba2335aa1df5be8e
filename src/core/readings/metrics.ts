import type { Host } from '../../host/host.ts';

/** A metric for collectors such as Prometheus. Counters only grow. */
export interface Metric {
  /** Base units, as in memory_size_bytes; a counter without its _total. */
  name: string;
  /** unknown: a number that may or may not only grow. */
  type: 'counter' | 'gauge' | 'info' | 'unknown';
  help: string;
  samples: Sample[];
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export interface ModuleMetrics<T> {
  read(payload: T): Metric[];
  /** Metrics that do not come from the payload; they replace those of the payload with the same name. */
  beside?(payload: T, host: Host): Promise<Metric[]>;
  /** All metrics without the payload, where reading the payload would cost more than the numbers are worth; null: not on this platform. */
  alone?(host: Host): Promise<Metric[] | null>;
}

type Values =
  | number
  | boolean
  | null
  | undefined
  | readonly (readonly [Record<string, string>, number | boolean | null | undefined])[];

export const gauge = (name: string, help: string, values: Values) => metric('gauge', name, help, values);
export const counter = (name: string, help: string, values: Values) => metric('counter', name, help, values);
export const untyped = (name: string, help: string, values: Values) => metric('unknown', name, help, values);
export const info = (name: string, help: string, labels: Record<string, string>) =>
  metric('info', name, help, [[labels, 1]]);

type MetricRow<T> = readonly [name: string, help: string, value: (entry: T) => number | boolean | null | undefined];

/** A metric for each row, with a sample for each entry. */
export const metricsOfEach = <T>(
  type: 'gauge' | 'counter',
  entries: readonly (readonly [labels: Record<string, string>, entry: T])[],
  rows: readonly MetricRow<T>[],
): Metric[] =>
  rows.map(([name, help, value]) =>
    metric(
      type,
      name,
      help,
      entries.map(([labels, entry]) => [labels, value(entry)]),
    ),
  );

/** Divided by whole numbers where the factor is a fraction: 7 / 100 is 0.07, 7 * 0.01 is not. */
export const scaled = (value: number, scale = 1) => (scale < 1 ? value / Math.round(1 / scale) : value * scale);

/** Unknown values are left out. */
function metric(type: Metric['type'], name: string, help: string, values: Values): Metric {
  const samples: Sample[] = [];
  const list = values !== null && typeof values === 'object' ? values : [[{}, values] as const];
  // Not destructured: that iterates over each pair, hundreds of times per scrape.
  for (const pair of list) {
    const value = pair[1];
    if (value !== null && value !== undefined) samples.push({ labels: pair[0], value: Number(value) });
  }
  return { name, type, help, samples };
}
