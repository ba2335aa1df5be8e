import type { RecordedUnit, Unit } from '../../lib/units.ts';
import type { EntityComponent, EntityDescription } from './entities.ts';
import type { OtlpMetric } from './otlp.ts';

/** The unit of the value in the payload. Other systems get it in their own unit. */
export type ReadingUnit = Unit | 'count' | 'none';

/** `undefined`: it does not exist here, so there is no sample, no entity and no series. `null`: it is unknown now. */
export type RowValue = number | string | boolean | null | undefined;

export interface Row<P> {
  /** The key of its entity. It never changes. */
  id?: string;
  /** The name for people. */
  name?: string;
  /** One sentence without a full stop, for metrics and series. */
  help?: string;
  unit?: ReadingUnit;
  /** A counter only grows; its entity and its series show the rate. */
  kind?: 'gauge' | 'counter';
  /** Omitted: only a scrape finds it, and the row says how its metric appears elsewhere. */
  value?(payload: P): RowValue;
  /** Omitted: it is not published to home automation. */
  entity?: true | EntityUse<P>;
  /** The name of its metric, base units, a counter without `_total`. */
  prometheus?: string | PrometheusUse<P>;
  /** Under which OTLP metrics the samples of its Prometheus metric appear. */
  otlp?: readonly OtlpUse[];
  /** The name of its series, or more about it. */
  record?: string | RecordUse<P>;
}

export interface EntityUse<P> extends Omit<EntityDescription, 'key' | 'name' | 'component' | 'unit'> {
  component?: EntityComponent;
  /** The unit to show, where it differs from that of the row. */
  unit?: 'GB' | 'GiB' | 'MiB' | 'MB/s' | 'Mbit/s' | (string & {});
  /** Digits behind the point of the value; the default depends on the unit. */
  digits?: number;
  attributes?(payload: P): Record<string, unknown> | undefined;
}

export interface PrometheusUse<P> {
  name: string;
  /** Factor from the payload's value to the metric's. */
  scale?: number;
  /** More labels of this row. */
  labels?: Record<string, string>;
  /** Another value than that of the row. */
  value?(payload: P): number | boolean | null | undefined;
  /** One sample for each state it can have, 1 for the one it has; the label is `state`. */
  oneOf?: readonly string[];
}

export interface OtlpUse {
  name: string;
  /** By UCUM. */
  unit: string;
  kind: OtlpMetric['kind'];
  isWhole: boolean;
  /** Fixed attributes, or attributes from the labels and the value of a sample; null: not to be sent. */
  attributes?:
    | Record<string, string | number>
    | ((labels: Record<string, string>, value: number) => Record<string, string | number> | null);
  /** Factor from the metric's value to this one. */
  scale?: number;
  /** The value is a share of this Prometheus metric. */
  shareOf?: string;
}

export interface RecordUse<P> {
  name: string;
  unit?: RecordedUnit;
  description?: string;
  /** Default: the name of the row. */
  title?: string;
  /** The payload holds a count; the rate is recorded. */
  counts?: boolean;
  when?(payload: P): boolean;
  /** An unknown value is not recorded, so that it starts no series. */
  onlyKnown?: boolean;
  /** The row belongs to a series that another row declares. */
  isDevice?: boolean;
}

/** Rows about each entry of a list in the payload. */
export interface RowGroup<T> {
  rows: readonly Row<unknown>[];
  list(payload: T): readonly unknown[];
  naming: EntryNaming<unknown>;
}

export interface EntryNaming<E> {
  /** Labels of its metrics. */
  label?(entry: E): Record<string, string>;
  /** What distinguishes two entries, for keys of entities; `{key}` in an id stands for it. */
  key?(entry: E): string;
  /** The name for people; `{title}` in a name stands for it. */
  title?(entry: E): string;
  /** Which entries have entities; omitted: all. */
  hasEntities?(entry: E): boolean;
  /** Entities of entries after this many are announced, and off until a user enables them. */
  shown?: number;
  /** What follows the `/` of a series. */
  device?(entry: E): string;
}

/** Rows for each entry of a list: `{key}` in an id and `{title}` in a name stand for the entry. */
export function each<T, E>(
  list: (payload: T) => readonly E[],
  naming: EntryNaming<E>,
  rows: readonly Row<E>[],
): RowGroup<T> {
  return { list, naming, rows };
}

/** A number that appears in Prometheus, and only there unless `more` says where: by its name, its help and its value. */
export const metricRow = <P>(
  prometheus: string | PrometheusUse<P>,
  help: string,
  value: (payload: P) => RowValue,
  more: Pick<Row<P>, 'kind' | 'unit' | 'otlp'> = {},
): Row<P> => ({ help, value, prometheus, ...more });

/** A state of 0 or 1 under an OTLP name of ours, where the conventions have none. */
export const otlpFlag = (name: string, attributes: OtlpUse['attributes'] = {}): OtlpUse[] => [
  { name, unit: '1', kind: 'gauge', isWhole: true, attributes },
];

export const isGroup = <T>(row: Row<T> | RowGroup<T>): row is RowGroup<T> => 'rows' in row;
