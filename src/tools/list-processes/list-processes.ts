import { defineTool } from '../../core/tool.ts';
import type { Process } from '../../features/processes/processes.schema.ts';
import { pageOf } from '../paging.ts';
import { moduleReading } from '../payloads.ts';
import { renamed, whyNull } from '../why-null.ts';
import type { ListProcessesInput, ListProcessesOutput } from './list-processes.schema.ts';

export const listProcesses = defineTool<ListProcessesInput, ListProcessesOutput>({
  name: 'list_processes',
  title: 'Processes',
  description: 'Running processes, by CPU or memory, filtered.',
  input: async () => (await import('./list-processes.schema.ts')).listProcessesInputSchema,
  output: async () => (await import('./list-processes.schema.ts')).listProcessesOutputSchema,
  scopes: ['read'],
  async run({ sort_by, limit, cursor, detail, ...filters }, context) {
    const { payload: all, reasons } = await moduleReading(context, 'processes');
    const matched = all.filter((process) => passes(process, filters));
    const { rows, next } = pageOf(matched, orders[sort_by], { limit, cursor }, [sort_by, filters]);
    const processes = rows.map(detail === 'full' ? toFull : toConcise);
    return {
      total: all.length,
      matched: matched.length,
      processes,
      ...(next === null ? {} : { next_cursor: next }),
      ...whyNull({ processes }, renamed(reasons, renames)),
    };
  },
});

const renames = {
  '[].memory_usage': 'processes[].memory',
  '[].username': 'processes[].username',
  '[].path': 'processes[].path',
  '[].working_directory': 'processes[].working_directory',
  '[].created': 'processes[].started',
};

type Filters = Pick<ListProcessesInput, 'name_contains' | 'username' | 'min_cpu'>;

function passes({ name, username, cpu_usage }: Process, filters: Filters): boolean {
  if (filters.name_contains !== undefined && !name.toLowerCase().includes(filters.name_contains.toLowerCase()))
    return false;
  if (filters.username !== undefined && username !== filters.username) return false;
  return filters.min_cpu === undefined || cpu_usage >= filters.min_cpu;
}

/** Ties by the process ID: pages of one list do not overlap. */
const orders: Record<ListProcessesInput['sort_by'], (a: Process, b: Process) => number> = {
  cpu: (a, b) => b.cpu_usage - a.cpu_usage || (b.memory_usage ?? 0) - (a.memory_usage ?? 0) || a.id - b.id,
  memory: (a, b) => (b.memory_usage ?? 0) - (a.memory_usage ?? 0) || a.id - b.id,
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id),
  started: (a, b) => (b.created ?? 0) - (a.created ?? 0) || b.id - a.id,
};

const toConcise = ({ id, name, cpu_usage, memory_usage }: Process) => ({
  pid: id,
  name,
  cpu: tenths(cpu_usage),
  memory: memory_usage === null ? null : tenths(memory_usage),
});

const toFull = (process: Process) => ({
  ...toConcise(process),
  username: process.username,
  status: process.status,
  path: process.path,
  working_directory: process.working_directory,
  start_time: process.start_time,
  started: process.created === null ? null : new Date(process.created * 1000).toISOString(),
});

const tenths = (value: number) => Math.round(value * 10) / 10;
