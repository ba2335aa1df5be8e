import type { ModulePayloads } from '@hostler/client/client.ts';
import { useMemo } from 'preact/hooks';
import { figureColumn } from '../../components/common-columns.tsx';
import { Filter, filtered } from '../../components/filter.tsx';
import { Reasons } from '../../components/reasons.tsx';
import { Segments } from '../../components/segments.tsx';
import { useAddressed } from '../../components/use-route-selection.ts';
import { type Column, VirtualTable } from '../../components/virtual-table.tsx';
import { Link, parameter, setParameters } from '../../shell/route.tsx';
import { useModule } from '../../state/live.ts';

export type Connection = ModulePayloads['networks']['connections'][number];

interface Row {
  key: string;
  process: string | null;
  pid: number | null;
  kind: string;
  local: string;
  remote: string | null;
  status: string;
}

/** All sockets, or one row for each process that has any. */
export function Connections({ connections }: { connections: readonly Connection[] }) {
  const processes = useModule('processes');
  const wanted = useAddressed('filter');
  const grouped = parameter('group') !== 'none';
  const names = useMemo(() => new Map(processes?.map(({ id, name }) => [id, name])), [processes]);
  const rows = useMemo(() => {
    const all = connections.map((each) => toRow(each, names));
    const fitting = filtered(all, wanted.value, textOf);
    return grouped ? groups(fitting) : fitting;
  }, [connections, names, wanted.value, grouped]);
  return (
    <>
      <div class="toolbar">
        <Filter
          value={wanted}
          placeholder="Filter by address, port, state, process…"
          shown={rows.length}
          of={grouped ? rows.length : connections.length}
        />
        <Segments
          legend="Show connections"
          of={[
            ['process', 'By process'],
            ['none', 'One by one'],
          ]}
          chosen={grouped ? 'process' : 'none'}
          choose={(group) => setParameters({ group: group === 'none' ? group : null }, { replace: true })}
        />
      </div>
      <VirtualTable
        rows={rows}
        columns={grouped ? groupColumns : columns}
        rowKey={({ key }) => key}
        sortedBy="process"
        descending={false}
        label="Connections"
      />
      <Reasons module="networks" fields={connections.some(({ pid }) => pid === null) ? ['connections[].pid'] : []} />
    </>
  );
}

function toRow({ pid, laddr, raddr, status, ...rest }: Connection, names: ReadonlyMap<number, string>): Row {
  const kind = kindOf(rest);
  return {
    key: `${kind} ${laddr} ${raddr} ${pid} ${rest.fd}`,
    process: pid === null ? null : (names.get(pid) ?? String(pid)),
    pid,
    kind,
    local: laddr,
    remote: raddr,
    status,
  };
}

const textOf = (row: Row) => `${row.kind} ${row.local} ${row.remote} ${row.status} ${row.process} ${row.pid}`;

/** One row for all sockets of a process: its listeners and its peers. */
function groups(rows: readonly Row[]): Row[] {
  return [...Map.groupBy(rows, ({ pid }) => pid)].map(([pid, of]) => {
    const listening = of.filter(({ status, remote }) => status === 'LISTEN' || remote === null);
    const remote = of.filter((row) => !listening.includes(row));
    return {
      key: String(pid),
      process: of[0]?.process ?? null,
      pid,
      kind: String(of.length),
      local: some(listening.map(({ local }) => local)),
      remote: remote.length === 0 ? null : some(remote.map(({ remote: other }) => other ?? '')),
      status: `${listening.length} / ${remote.length}`,
    };
  });
}

function some(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  return different.length > 3
    ? `${different.slice(0, 3).join(', ')} and ${different.length - 3} more`
    : different.join(', ');
}

const processColumn: Column<Row> = {
  key: 'process',
  title: 'Process',
  value: ({ process }) => process,
  show: ({ process, pid }) => (pid === null ? '–' : <Link to={`/processes?pid=${pid}`}>{process}</Link>),
  width: 'middle',
};
const pidColumn: Column<Row> = figureColumn('pid', 'PID', ({ pid }) => pid, undefined, { secondary: true });
const text = (
  key: 'local' | 'remote' | 'status' | 'kind',
  title: string,
  rest: Partial<Column<Row>> = {},
): Column<Row> => ({
  key,
  title,
  value: (row: Row) => row[key],
  show: (row: Row) => row[key] || '–',
  width: 'wide',
  ...rest,
});

const columns: Column<Row>[] = [
  processColumn,
  pidColumn,
  text('kind', 'Protocol', { secondary: true, width: 'narrow' }),
  text('local', 'Local address'),
  text('remote', 'Remote address'),
  text('status', 'State', { secondary: true, width: 'middle' }),
];

const groupColumns: Column<Row>[] = [
  processColumn,
  pidColumn,
  text('kind', 'Sockets', { number: true, secondary: true, width: 'narrow', value: ({ kind }) => Number(kind) }),
  text('local', 'Listens on'),
  text('remote', 'Connected to'),
];

/** By the numbers of AF_ and SOCK_. */
function kindOf({ family, type }: Pick<Connection, 'family' | 'type'>): string {
  return `${type === 1 ? 'TCP' : 'UDP'}${family === 10 ? ' 6' : ''}`;
}
