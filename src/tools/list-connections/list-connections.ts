import { defineTool } from '../../core/tool.ts';
import type { NetworkConnection } from '../../modules/networks/networks.schema.ts';
import { pageOf } from '../paging.ts';
import { payloadOf, payloadOrNull } from '../payloads.ts';
import type { ListConnectionsInput, ListConnectionsOutput } from './list-connections.schema.ts';

export const listConnections = defineTool<ListConnectionsInput, ListConnectionsOutput>({
  name: 'list_connections',
  title: 'Network connections',
  description: 'TCP and UDP sockets with the names of their processes.',
  input: async () => (await import('./list-connections.schema.ts')).listConnectionsInputSchema,
  output: async () => (await import('./list-connections.schema.ts')).listConnectionsOutputSchema,
  scopes: ['read'],
  async run({ limit, cursor, ...filters }, context) {
    const [{ connections }, processes] = await Promise.all([
      payloadOf(context, 'networks'),
      payloadOrNull(context, 'processes'),
    ]);
    const matched = connections.filter((connection) => passes(connection, filters));
    const { rows, next } = pageOf(matched, limit, cursor, filters);
    const owners = new Set(rows.map(({ pid }) => pid));
    const names = new Map(processes?.filter(({ id }) => owners.has(id)).map(({ id, name }) => [id, name]));
    return {
      total: connections.length,
      matched: matched.length,
      connections: rows.map(({ type, laddr, raddr, status, pid }) => ({
        protocol: type === datagrams ? 'udp' : 'tcp',
        local: laddr,
        remote: raddr,
        status,
        pid,
        process: pid === null ? null : (names.get(pid) ?? null),
      })),
      ...(next === null ? {} : { next_cursor: next }),
    };
  },
});

/** SOCK_DGRAM. */
const datagrams = 2;

type Filters = Pick<ListConnectionsInput, 'status' | 'port' | 'pid'>;

function passes({ status, laddr, raddr, pid }: NetworkConnection, filters: Filters): boolean {
  if (filters.status !== undefined && status !== filters.status.toUpperCase()) return false;
  if (filters.pid !== undefined && pid !== filters.pid) return false;
  return filters.port === undefined || [laddr, raddr].some((address) => address?.endsWith(`:${filters.port}`) === true);
}
