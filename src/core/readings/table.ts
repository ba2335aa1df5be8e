import type { Host } from '../../host/host.ts';
import type { PerPlatform } from '../platform.ts';
import type { EarlierPayload, EntityState, ModuleEntities } from './entities.ts';
import type { HistorySampler, ModuleHistory, Moment, RecordedSet } from './history.ts';
import type { Metric } from './metrics.ts';
import type { ModuleOtlp } from './otlp.ts';
import type { ModuleProblem } from './problems.ts';
import type { Row, RowGroup } from './rows.ts';

/** The numbers and states of a feature's payload, each with all its published names: `<name>.readings.ts`. */
export interface ReadingsTable<T> {
  /** One entry per reading; `each(…)` for the entries of a list. */
  rows: readonly (Row<T> | RowGroup<T>)[];
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
  /** What is recorded besides the rows. */
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

export interface Publishing<T> extends Omit<ModuleEntities<T>, 'read'> {
  read?(payload: T, before: EarlierPayload<T> | null): EntityState[];
}
