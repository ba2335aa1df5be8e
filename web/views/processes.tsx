import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Filter, filtered } from '../parts/filter.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { useModule } from '../state/live.ts';
import { percent } from '../units.ts';

type Process = ModulePayloads['processes'][number];

const columns: Column<Process>[] = [
  { key: 'id', title: 'PID', value: ({ id }) => id, show: ({ id }) => id, number: true, width: 'narrow' },
  { key: 'name', title: 'Name', value: ({ name }) => name, show: ({ name }) => name, width: 'wide' },
  {
    key: 'cpu',
    title: 'CPU',
    value: ({ cpu_usage }) => cpu_usage,
    show: ({ cpu_usage }) => percent(cpu_usage, 1),
    number: true,
    width: 'narrow',
  },
  {
    key: 'memory',
    title: 'Memory',
    value: ({ memory_usage }) => memory_usage,
    show: ({ memory_usage }) => percent(memory_usage, 1),
    number: true,
    width: 'narrow',
  },
  {
    key: 'username',
    title: 'User',
    value: ({ username }) => username,
    show: ({ username }) => username ?? '–',
    secondary: true,
    width: 'middle',
  },
  {
    key: 'status',
    title: 'State',
    value: ({ status }) => status,
    show: ({ status }) => status ?? '–',
    secondary: true,
    width: 'middle',
  },
  {
    key: 'path',
    title: 'Program',
    value: ({ path }) => path,
    show: ({ path }) => path ?? '–',
    secondary: true,
    width: 'wide',
  },
];

export function Processes() {
  const processes = useModule('processes');
  const wanted = useSignal('');
  const rows = useMemo(() => filtered(processes ?? [], wanted.value, textOf), [processes, wanted.value]);
  if (processes === null) return <Absent module="processes" />;
  return (
    <div class="fill">
      <Filter
        value={wanted}
        placeholder="Filter by name, user, PID, state…"
        shown={rows.length}
        of={processes.length}
      />
      {processes.length === 0 ? <Reasons module="processes" /> : null}
      <VirtualTable rows={rows} columns={columns} rowKey={({ id }) => id} sortedBy="cpu" label="Processes" />
    </div>
  );
}

const textOf = ({ id, name, username, path, status }: Process) => `${id} ${name} ${username} ${path} ${status}`;
