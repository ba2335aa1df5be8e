import type { Database } from '../host/database.ts';
import { readBusyMoments, readEvents, readSamples, readSteps, seriesNames } from './database.read.ts';
import { type HistoryTables, openTables } from './database.tables.ts';
import { deleteExpired, insertBlocks } from './database.write.ts';

export { keptSamplesMs, keptStepsMs } from './database.write.ts';

/** The recorded history in its database. Samples and steps are passed on one by one. */
export function openHistoryDatabase(database: Database) {
  const tables = openTables(database);
  const here =
    <Given extends unknown[], Result>(work: (tables: HistoryTables, ...given: Given) => Result) =>
    (...given: Given) =>
      work(tables, ...given);
  return {
    takeIn: here(insertBlocks),
    forget: here(deleteExpired),
    names: here(seriesNames),
    samples: here(readSamples),
    steps: here(readSteps),
    processes: here(readBusyMoments),
    events: here(readEvents),
  };
}

export type HistoryDatabase = ReturnType<typeof openHistoryDatabase>;
