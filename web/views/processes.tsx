import { useMemo } from 'preact/hooks';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Filter, filtered } from '../parts/filter.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { When } from '../parts/time.tsx';
import { useAddressed } from '../parts/use-addressed.ts';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { Link, parameter, setParameters } from '../route.tsx';
import { dataOf, useModule } from '../state/live.ts';
import { percent } from '../units.ts';
import { ProcessDetails } from './process-details.tsx';

export type Process = ModulePayloads['processes'][number];

const columns: Column<Process>[] = [
  { key: 'id', title: 'PID', value: ({ id }) => id, show: ({ id }) => id, number: true, width: 'narrow' },
  {
    key: 'name',
    title: 'Name',
    value: ({ name }) => name.toLowerCase(),
    show: ({ id, name }) => <Link to={`/processes?pid=${id}`}>{name}</Link>,
    width: 'wide',
  },
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
    key: 'created',
    title: 'Started',
    value: ({ created }) => created,
    show: ({ created }) => <When at={created === null ? null : created * 1000} />,
    number: true,
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
  const wanted = useAddressed('filter');
  const pid = Number(parameter('pid') ?? 0);
  const cores = dataOf('cpu').value?.count ?? null;
  const rows = useMemo(() => filtered(processes ?? [], wanted.value, textOf), [processes, wanted.value]);
  if (processes === null) return <Absent module="processes" />;
  const chosen = processes.find(({ id }) => id === pid);
  return (
    <div class="fill">
      <div class="toolbar">
        <Filter
          value={wanted}
          placeholder="Filter by name, user, PID, state…"
          shown={rows.length}
          of={processes.length}
        />
        <p class="small">CPU: 100 % is one core{cores === null ? '' : `, ${cores * 100} % the whole machine`}.</p>
      </div>
      {processes.length === 0 ? <Reasons module="processes" /> : null}
      <div class={pid > 0 ? 'split open' : 'split'}>
        <VirtualTable
          rows={rows}
          columns={columns}
          rowKey={({ id }) => id}
          chosen={({ id }) => id === pid}
          sortedBy="cpu"
          kept="processes"
          label="Processes"
        />
        {pid > 0 ? <ProcessDetails pid={pid} process={chosen} close={() => setParameters({ pid: null })} /> : null}
      </div>
    </div>
  );
}

const textOf = ({ id, name, username, path, status }: Process) => `${id} ${name} ${username} ${path} ${status}`;
