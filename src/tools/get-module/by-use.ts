import { isObject } from '../../lib/values.ts';

/** What is cut from a long list should be what matters least. Everything else stays as the module has it. */
export function byUse(module: string, payload: unknown): unknown {
  if (module === 'processes' && Array.isArray(payload))
    return payload.toSorted(
      (a, b) =>
        numberIn(b, 'cpu_usage') - numberIn(a, 'cpu_usage') ||
        numberIn(b, 'memory_usage') - numberIn(a, 'memory_usage'),
    );
  if (module === 'networks' && isObject(payload) && Array.isArray(payload.networks))
    return { ...payload, networks: payload.networks.toSorted((a, b) => trafficOf(b) - trafficOf(a)) };
  return payload;
}

function trafficOf(network: unknown): number {
  const io = isObject(network) ? network.io : null;
  return numberIn(io, 'bytes_sent') + numberIn(io, 'bytes_recv');
}

const numberIn = (value: unknown, key: string): number => {
  const found = isObject(value) ? value[key] : null;
  return typeof found === 'number' ? found : 0;
};
