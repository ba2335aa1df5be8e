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

/** The recorded history in its database. Samples and steps are passed on one by one. */
export function openHistoryDatabase(database: Database) {
  const tables = openTables(database);
  return {
    /** Inserts the blocks that are not in the database yet. */
    takeIn: (blocks: readonly SampleBlock[]) => insertBlocks(tables, blocks),
    forget: (now: number) => deleteExpired(tables, now),
    names: () => seriesNames(tables),
    samples: (series: string, from: number, to: number, each: EachSample) =>
      readSamples(tables, series, from, to, each),
    steps: (series: string, from: number, to: number, each: EachStep) => readSteps(tables, series, from, to, each),
    /** The busiest processes between two times, some moments at a time. */
    processes: (from: number, to: number): Iterable<BusyMoment[]> => readBusyMoments(tables, from, to),
    events: (from: number, to: number, limit: number) => readEvents(tables, from, to, limit),
  };
}

export type HistoryDatabase = ReturnType<typeof openHistoryDatabase>;
