import { isObject } from '../../lib/values.ts';

/** Sorts long lists so that the least relevant entries are cut. All other lists keep the order of the module. */
export function byUse(module: string, payload: unknown): unknown {
  if (module === 'processes' && Array.isArray(payload))
    return payload.toSorted(
      (a, b) =>
        numberIn(b, 'cpu_usage') - numberIn(a, 'cpu_usage') ||
        numberIn(b, 'memory_usage') - numberIn(a, 'memory_usage') ||
        numberIn(a, 'id') - numberIn(b, 'id'),
    );
  if (module !== 'networks' || !isObject(payload)) return payload;
  const { networks, connections } = payload;
  return {
    ...payload,
    ...(Array.isArray(networks) ? { networks: networks.toSorted((a, b) => trafficOf(b) - trafficOf(a)) } : {}),
    ...(Array.isArray(connections)
      ? { connections: connections.toSorted((a, b) => useOf(statusIn(a)) - useOf(statusIn(b))) }
      : {}),
  };
}

/** Open connections, then listening ones, then those being opened or closed; closed ones come last. */
export const useOf = (status: string): number => uses[status] ?? 3;

const uses: Partial<Record<string, number>> = { ESTABLISHED: 0, LISTEN: 1, NONE: 2, TIME_WAIT: 4 };

function trafficOf(network: unknown): number {
  const io = isObject(network) ? network.io : null;
  return numberIn(io, 'bytes_sent') + numberIn(io, 'bytes_recv');
}

const statusIn = (connection: unknown): string => (isObject(connection) ? String(connection.status) : '');

const numberIn = (value: unknown, key: string): number => {
  const found = isObject(value) ? value[key] : null;
  return typeof found === 'number' ? found : 0;
};
