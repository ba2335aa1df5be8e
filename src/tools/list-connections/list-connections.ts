import { defineTool } from '../../core/tool.ts';
import type { NetworkConnection } from '../../features/networks/networks.schema.ts';
import { useOf } from '../get-module/by-use.ts';
import { pageOf } from '../paging.ts';
import { type ModuleReading, moduleReading, moduleReadingOrNull } from '../payloads.ts';
import { renamed, whyNull } from '../why-null.ts';
import type { ListConnectionsInput, ListConnectionsOutput } from './list-connections.schema.ts';

export const listConnections = defineTool<ListConnectionsInput, ListConnectionsOutput>({
  name: 'list_connections',
  title: 'Network connections',
  description: 'TCP and UDP sockets with their processes; open connections first.',
  input: async () => (await import('./list-connections.schema.ts')).listConnectionsInputSchema,
  output: async () => (await import('./list-connections.schema.ts')).listConnectionsOutputSchema,
  scopes: ['read'],
  async run({ limit, cursor, ...filters }, context) {
    const [networks, processes] = await Promise.all([
      moduleReading(context, 'networks'),
      moduleReadingOrNull(context, 'processes'),
    ]);
    const all = networks.payload.connections;
    const matched = all.filter((connection) => passes(connection, filters));
    const { rows, next } = pageOf(matched, byUseOf, { limit, cursor }, filters);
    const owners = new Set(rows.map(({ pid }) => pid));
    const names = new Map(processes.payload?.filter(({ id }) => owners.has(id)).map(({ id, name }) => [id, name]));
    const connections = rows.map(({ type, laddr, raddr, status, pid }) => ({
      protocol: type === datagrams ? ('udp' as const) : ('tcp' as const),
      local: laddr,
      remote: raddr,
      status,
      pid,
      process: pid === null ? null : (names.get(pid) ?? null),
    }));
    const isNameless = connections.some(({ pid, process }) => pid !== null && process === null);
    return {
      total: all.length,
      matched: matched.length,
      connections,
      ...(next === null ? {} : { next_cursor: next }),
      ...whyNull({ connections }, [
        ...renamed(networks.reasons, renames),
        ...(isNameless ? [{ field: 'connections[].process', reason: whyNameless(processes) }] : []),
      ]),
    };
  },
});

const byUseOf = (a: NetworkConnection, b: NetworkConnection) => useOf(a.status) - useOf(b.status);

/** Without a process there is no name of one. */
const renames = {
  'connections[].raddr': 'connections[].remote',
  'connections[].pid': ['connections[].pid', 'connections[].process'],
};

const whyNameless = ({ payload, reasons }: ModuleReading<unknown>) =>
  (payload === null ? reasons[0]?.reason : undefined) ?? 'The process has ended, or is not visible to this user';

/** SOCK_DGRAM. */
const datagrams = 2;

type Filters = Pick<ListConnectionsInput, 'status' | 'port' | 'pid'>;

function passes({ status, laddr, raddr, pid }: NetworkConnection, filters: Filters): boolean {
  if (filters.status !== undefined && status !== filters.status.toUpperCase()) return false;
  if (filters.pid !== undefined && pid !== filters.pid) return false;
  return filters.port === undefined || [laddr, raddr].some((address) => address?.endsWith(`:${filters.port}`) === true);
}
