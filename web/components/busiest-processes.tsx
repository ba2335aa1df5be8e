import type { ComponentChildren } from 'preact';
import { Link } from '../shell/route.tsx';
import { dataOf } from '../state/live.ts';
import type { Past } from '../state/past-charts.ts';
import { bytes, percent } from '../units.ts';
import { Table } from './table.tsx';

interface Usage {
  name: string;
  cpu: number;
  most_cpu: number;
  memory: number;
}

/** The busiest processes of a recorded time; those that still run are links. */
export function BusiestProcesses({ past: { processes } }: { past: Past }) {
  const running = new Set(dataOf('processes').value?.map(({ id }) => id));
  return (
    <UsageTable
      rows={processes}
      rowKey={({ pid, name }) => `${pid} ${name}`}
      hint={({ pid }) => `PID ${pid}`}
      show={({ pid, name }) => (running.has(pid) ? <Link to={`/processes?pid=${pid}`}>{name}</Link> : name)}
      note="100 % is one core."
    />
  );
}

/** The same by program: processes of one name together. */
export function BusiestPrograms({ past: { programs } }: { past: Past }) {
  const running = new Set(dataOf('processes').value?.map(({ name }) => name));
  return (
    <UsageTable
      rows={programs}
      rowKey={({ name }) => name}
      show={({ name, count }) => (
        <>
          {running.has(name) ? <Link to={`/processes?filter=${encodeURIComponent(name)}`}>{name}</Link> : name}{' '}
          {count === 1 ? null : <span class="quiet">× {count}</span>}
        </>
      )}
      note="100 % is one core. Processes that ended before the next sample are not counted."
    />
  );
}

interface UsageTableProps<T> {
  rows: readonly T[];
  rowKey(row: T): string;
  show(row: T): ComponentChildren;
  hint?(row: T): string;
  note: string;
}

function UsageTable<T extends Usage>({ rows, rowKey, show, hint, note }: UsageTableProps<T>) {
  if (rows.length === 0) return <p class="quiet">No processes were recorded then: the machine was idle, or asleep.</p>;
  return (
    <>
      <Table
        rows={rows.slice(0, 8)}
        rowKey={rowKey}
        columns={[
          { title: 'Name', show, ...(hint === undefined ? {} : { hint }) },
          { title: 'CPU', kind: 'number', show: ({ cpu }) => percent(cpu, 1) },
          { title: 'Most', kind: 'number', show: ({ most_cpu }) => percent(most_cpu, 1) },
          { title: 'Memory', kind: 'number', show: ({ memory }) => bytes(memory) },
        ]}
      />
      <p class="small">{note}</p>
    </>
  );
}
