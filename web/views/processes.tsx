import { useSignal } from '@preact/signals';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Reasons } from '../parts/reasons.tsx';
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
  if (processes === null) return <Reasons module="processes" />;
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (process: Process) => {
    const text = `${process.id} ${process.name} ${process.username} ${process.path} ${process.status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rows = words.length === 0 ? processes : processes.filter(matches);
  return (
    <div class="fill">
      <div class="toolbar">
        <label>
          <span class="spoken">Filter</span>
          <input
            type="search"
            placeholder="Filter by name, user, number, state…"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="quiet">
          {rows.length} of {processes.length}
        </p>
      </div>
      <VirtualTable rows={rows} columns={columns} rowKey={({ id }) => id} sortedBy="cpu" label="Processes" />
    </div>
  );
}
