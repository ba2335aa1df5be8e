import type { Files } from '../../../host/linux/files.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import type { Table } from './processes.table.ts';

/** The table of the source, while it is open: the history takes its samples from it. Apart, because without readers nothing else of it is loaded. */
export interface TableInUse {
  table: Table | null;
  /** When the source was last asked for it, on the monotonic clock. */
  askedAt: number;
  /** The last read was that of the history; the source uses its result once. */
  isSampled: boolean;
  /** Closes it; the source opens another one when it is asked again. */
  release(): void;
}

/** Listeners that name no interval ask every 15 s. Reading the whole table costs several times as much as the history alone. */
export const tableUnusedMs = 40_000;

export const tableInUse = keptFor(
  (_files: Files): TableInUse => ({ table: null, askedAt: 0, isSampled: false, release() {} }),
);
