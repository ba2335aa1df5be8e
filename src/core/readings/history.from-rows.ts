import { isRecorded } from '../../lib/units.ts';
import type { ModuleHistory, Moment } from './history.ts';
import { isGroup, type RecordUse, type Row, type RowGroup } from './rows.ts';
import type { ReadingsTable } from './table.ts';

/** The recorded series of a table. */
export function historyFrom<T>(table: ReadingsTable<T>): ModuleHistory<T> {
  const { rows, sampler, history: { series = {}, sets, read, ...rest } = {} } = table;
  const all = rows.flatMap((row) => (isGroup(row) ? row.rows : [row as Row<unknown>]));
  const fromPayload: ModuleHistory<T>['read'] = (payload, moment) => {
    for (const row of rows) record(row, payload, moment);
    for (const [name, { members }] of Object.entries(sets ?? {}))
      if (members !== undefined) moment.members(name, members(payload));
    read?.(payload, moment);
  };
  // The payload is not read for a table whose series only come from a sampler.
  const reads =
    read ?? (all.some((row) => row.record && row.value) || Object.values(sets ?? {}).some(({ members }) => members));
  return {
    ...rest,
    series: { ...Object.fromEntries(all.flatMap(seriesOf)), ...series },
    ...(sets && { sets }),
    ...(reads && { read: fromPayload }),
    ...(sampler && { samplers: sampler }),
  };
}

function record<T>(row: Row<T> | RowGroup<T>, payload: T, moment: Moment): void {
  if (!isGroup(row)) return put(row, payload, moment);
  for (const inner of row.rows)
    if (inner.record !== undefined)
      for (const entry of row.list(payload)) put(inner, entry, moment, row.naming.device?.(entry));
}

function put<P>(row: Row<P>, entry: P, moment: Moment, device?: string): void {
  const use = recordOf(row);
  if (use === null || row.value === undefined || use.when?.(entry) === false) return;
  const value = row.value(entry);
  if (value === undefined || (use.onlyKnown && value === null)) return;
  moment.value(use.name, typeof value === 'number' ? value : null, ...(device === undefined ? [] : [device]));
}

const recordOf = <P>({ record: use }: Row<P>): RecordUse<P> | null =>
  use === undefined ? null : typeof use === 'string' ? { name: use } : use;

function seriesOf(row: Row<unknown>): [string, ModuleHistory<unknown>['series'][string]][] {
  const use = recordOf(row);
  if (use === null || use.isDevice) return [];
  const counts = use.counts ?? row.kind === 'counter';
  const own = row.unit ?? 'none';
  const unit = use.unit ?? (isRecorded(own) ? own : 'processes');
  const description = use.description ?? row.help ?? '';
  // Names of entries of a list have placeholders.
  const title = use.title ?? (row.name?.includes('{') ? undefined : row.name);
  return [
    [
      use.name,
      {
        unit: counts && unit === 'bytes' ? 'bytes_per_second' : unit,
        description,
        ...(title !== undefined && { title }),
        ...(counts && { counts }),
      },
    ],
  ];
}
