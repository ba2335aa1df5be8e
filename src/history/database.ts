import type { HistoryEvent } from '../core/readings/history.ts';
import type { Database } from '../host/database.ts';
import type { SampleBlock } from './block.ts';
import type { BusyMoment } from './busiest-processes.ts';
import {
  type EachSample,
  type EachStep,
  readBusyMoments,
  readEvents,
  readSamples,
  readSteps,
  seriesNames,
} from './database.read.ts';
import { openTables } from './database.tables.ts';
import { deleteExpired, insertBlocks } from './database.write.ts';

export { keptSamplesMs, keptStepsMs } from './database.write.ts';

export interface HistoryDatabase {
  /** Inserts the blocks that are not in the database yet. */
  takeIn(blocks: readonly SampleBlock[]): void;
  forget(now: number): void;
  names(): string[];
  /** Each sample of a series between two times. */
  samples(series: string, from: number, to: number, each: EachSample): void;
  steps(series: string, from: number, to: number, each: EachStep): void;
  /** The busiest processes between two times, some moments at a time. */
  processes(from: number, to: number): Iterable<BusyMoment[]>;
  events(from: number, to: number, limit: number): HistoryEvent[];
}

export function openHistoryDatabase(database: Database): HistoryDatabase {
  const tables = openTables(database);
  return {
    takeIn: (blocks) => insertBlocks(tables, blocks),
    forget: (now) => deleteExpired(tables, now),
    names: () => seriesNames(tables),
    samples: (series, from, to, each) => readSamples(tables, series, from, to, each),
    steps: (series, from, to, each) => readSteps(tables, series, from, to, each),
    processes: (from, to) => readBusyMoments(tables, from, to),
    events: (from, to, limit) => readEvents(tables, from, to, limit),
  };
}
