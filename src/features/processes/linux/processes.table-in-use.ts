import type { Files } from '../../../host/linux/files.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import type { Table } from './processes.table.ts';

/** The table of the source, once it is open: the history takes its samples from it. Apart, because without readers nothing else of it is loaded. */
export const tableInUse = keptFor((_files: Files): TableInUse => ({ table: null, isSampled: false }));

export interface TableInUse {
  table: Table | null;
  /** The last read was that of the history; the source uses its result once. */
  isSampled: boolean;
}
