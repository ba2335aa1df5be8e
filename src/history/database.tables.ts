import { type Database, DatabaseError } from '../host/database.ts';
import { checkFileVersion } from '../lib/file-version.ts';
import { stepMs, stepsADay } from './steps.ts';

export interface HistoryTables {
  database: Database;
  /** Cache: layout → series → column. */
  layouts: Map<number, Map<number, number>>;
}

/** The days of a series are adjacent: their key is series × this + day. */
export const daysASeries = 100_000;
export const dayMs = stepMs * stepsADay;

const tables = [
  'CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)',
  'CREATE TABLE IF NOT EXISTS layout (id INTEGER PRIMARY KEY, series TEXT NOT NULL UNIQUE)',
  'CREATE TABLE IF NOT EXISTS block (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, every INTEGER NOT NULL, layout INTEGER NOT NULL, times BLOB NOT NULL, samples BLOB NOT NULL, processes TEXT NOT NULL)',
  'CREATE INDEX IF NOT EXISTS block_last ON block (last)',
  'CREATE TABLE IF NOT EXISTS day (key INTEGER PRIMARY KEY, data BLOB NOT NULL)',
  'CREATE TABLE IF NOT EXISTS busy (step INTEGER PRIMARY KEY, processes TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)',
  'CREATE INDEX IF NOT EXISTS event_at ON event (at)',
  'CREATE INDEX IF NOT EXISTS event_kind ON event (kind, at)',
];

/** Raised by a change that an older program would misread. Such a change also migrates older files. */
const databaseVersion = 1;

/** Version 6.0.0 left user_version at 0. */
export function openTables(database: Database): HistoryTables {
  const given = Number(database.rows('PRAGMA user_version')[0]?.user_version ?? 0);
  try {
    checkFileVersion('it', given || undefined, databaseVersion, 'move the file away to begin a new history');
  } catch (newer) {
    throw new DatabaseError('other', newer);
  }
  for (const table of tables) database.run(table);
  if (given === 0) database.run(`PRAGMA user_version = ${databaseVersion}`);
  return { database, layouts: new Map() };
}

export function findSeries({ database }: HistoryTables, name: string): number | null {
  const [row] = database.rows('SELECT id FROM series WHERE name = ?', name);
  return row === undefined ? null : Number(row.id);
}
