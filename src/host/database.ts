import fs from 'node:fs';
import path from 'node:path';

export type DatabaseValue = string | number | Uint8Array | null;
export type DatabaseRow = Record<string, DatabaseValue>;

/** A database in one file of ours. Every call is synchronous, and throws a DatabaseError on failure. */
export interface Database {
  /** Returns the number of changed rows. */
  run(sql: string, ...values: DatabaseValue[]): number;
  rows(sql: string, ...values: DatabaseValue[]): DatabaseRow[];
  transaction<T>(work: () => T): T;
  close(): void;
}

/** broken: the file is damaged, or not a database. full: there is no space left. */
export type DatabaseTrouble = 'broken' | 'full' | 'other';

export class DatabaseError extends Error {
  readonly trouble: DatabaseTrouble;
  constructor(trouble: DatabaseTrouble, cause: unknown) {
    super(trouble === 'full' ? 'the disk is full' : cause instanceof Error ? cause.message : String(cause), { cause });
    this.trouble = trouble;
  }
}

export interface Databases {
  /** Creates the file if needed, for its owner only. Loads the runtime's SQLite at the first call: 3 MiB, most of it pages of the program. */
  open(file: string): Promise<Database>;
  /** Renames a broken file and returns its new path; the one that was set aside before is removed. */
  setAside(file: string): string;
}

/** Another process of ours holds the database for milliseconds at most. */
const busyMs = 2000;
/** KiB of cached pages. */
const cacheKib = 256;

export const createDatabases = (): Databases => ({ open, setAside });

async function open(file: string): Promise<Database> {
  const { Database: Sqlite } = await import('bun:sqlite');
  return guarded(() => {
    // SQLite would create it world-readable; the files beside it get the permissions of the file.
    if (!fs.existsSync(file)) fs.closeSync(fs.openSync(file, 'a', 0o600));
    const opened = new Sqlite(file, { readwrite: true, strict: true });
    try {
      // With a write-ahead log no call waits for the disk, and neither a kill nor a power cut damages the file.
      for (const pragma of [
        `busy_timeout=${busyMs}`,
        'journal_mode=WAL',
        'synchronous=NORMAL',
        `cache_size=-${cacheKib}`,
      ])
        opened.query(`PRAGMA ${pragma}`).get();
      opened.query('SELECT count(*) FROM sqlite_schema').get();
    } catch (error) {
      opened.close();
      throw error;
    }
    return {
      run: (sql, ...values) => guarded(() => opened.query(sql).run(...values).changes),
      rows: (sql, ...values) => guarded(() => opened.query<DatabaseRow, DatabaseValue[]>(sql).all(...values)),
      transaction: (work) => guarded(() => opened.transaction(work).immediate()),
      close: () => opened.close(),
    };
  });
}

function setAside(file: string): string {
  const aside = path.join(path.dirname(file), `${path.basename(file)}.broken`);
  fs.renameSync(file, aside);
  for (const suffix of ['-wal', '-shm']) fs.rmSync(`${file}${suffix}`, { force: true });
  return aside;
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(troubleOf(error), error);
  }
}

function troubleOf(error: unknown): DatabaseTrouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return 'broken';
  return code.startsWith('SQLITE_FULL') || code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'other';
}
