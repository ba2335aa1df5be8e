import fs from 'node:fs';
import path from 'node:path';

/** What a column can hold. */
export type DatabaseValue = string | number | Uint8Array | null;
export type DatabaseRow = Record<string, DatabaseValue>;

/** A database in one file of ours. Everything is done at once; whatever goes wrong throws a DatabaseError. */
export interface Database {
  /** How many rows it changed. */
  run(sql: string, ...values: DatabaseValue[]): number;
  rows(sql: string, ...values: DatabaseValue[]): DatabaseRow[];
  /** All of it or nothing. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** broken: the file is no database, or a damaged one. full: there is no space left. */
export type DatabaseTrouble = 'broken' | 'full' | 'other';

export class DatabaseError extends Error {
  readonly trouble: DatabaseTrouble;
  constructor(trouble: DatabaseTrouble, cause: unknown) {
    super(trouble === 'full' ? 'the disk is full' : cause instanceof Error ? cause.message : String(cause), { cause });
    this.trouble = trouble;
  }
}

export interface Databases {
  /** Makes the file if there is none, for its owner only. Loads the runtime's SQLite at the first call: 3 MiB, most of it pages of the program. */
  open(file: string): Promise<Database>;
  /** Moves a broken one out of the way, and says where to; the one that was set aside before goes. */
  setAside(file: string): string;
}

/** Another process of ours is in the middle of something that takes milliseconds. */
const busyMs = 2000;
/** KiB of pages that are kept in memory. */
const cacheKib = 256;

export function createDatabases(): Databases {
  return { open, setAside };
}

async function open(file: string): Promise<Database> {
  const { Database: Sqlite } = await import('bun:sqlite');
  return guarded(() => {
    // SQLite itself would make it readable for everybody; what it keeps beside the file has the rights of the file.
    if (!fs.existsSync(file)) fs.closeSync(fs.openSync(file, 'a', 0o600));
    const opened = new Sqlite(file, { readwrite: true, strict: true });
    try {
      // With a log beside the file nothing waits for the disk, and neither a kill nor a power cut breaks the file.
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
