import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { type EntityState, rateOf, roundedTo, sensor, sizeSensor, uniqueKeys } from '../../core/readings/entities.ts';
import type { Publishing } from '../../core/readings/table.ts';
import type { Host } from '../../host/host.ts';
import type { NetworkInterface, Networks } from './networks.schema.ts';

/** Bytes since the interface came up. */
export interface InterfaceTraffic {
  received: number;
  sent: number;
}

/** The payload has only the sum of all interfaces, loopback included. */
const platforms: PerPlatform<Map<string, InterfaceTraffic>> = {
  linux: async () => (await import('./linux/networks.rates.ts')).interfaceTrafficLinux,
};

/** Traffic entities, read at every publication; the payload is cached longer. */
export async function publishTraffic(host: Host): Promise<Publishing<Networks>> {
  const readTraffic = await loadFor(host, platforms);
  const addresses = () => JSON.stringify(host.network.addresses());
  let before: InterfaceTraffic | null = null;
  let known: { payload: Networks | null; addresses: string } = { payload: null, addresses: '' };
  return {
    atMostEvery: 60,
    // Resolving the owner of every socket costs most and is not needed: entities show addresses and traffic.
    keepsPayload: { seconds: readTraffic === null ? 60 : 600, isOutdated: () => addresses() !== known.addresses },
    read(payload, earlier) {
      if (payload !== known.payload) known = { payload, addresses: addresses() };
      const { networks, io } = payload;
      const traffic = readTraffic?.() ?? new Map<string, InterfaceTraffic>();
      const real = networks.filter((link) => !isLoopbackLink(link));
      const sum = sumOf(real, traffic) ?? (io && { received: io.bytes_recv, sent: io.bytes_sent });
      const speed = (key: string, name: string, way: keyof InterfaceTraffic): EntityState => {
        const perSecond = earlier && rateOf(sum?.[way], before?.[way], earlier.seconds);
        return sensor(key, name, perSecond === null ? null : roundedTo((perSecond * 8) / 1e6, 3), {
          unit: 'Mbit/s',
          deviceClass: 'data_rate',
        });
      };
      const states = [
        speed('net_rx', 'Network received', 'received'),
        speed('net_tx', 'Network sent', 'sent'),
        ...uniqueKeys(real, ({ name }) => name).flatMap(([key, { name }]) => totals(key, name, traffic.get(name))),
      ];
      before = sum;
      return states;
    },
  };
}

export const isLoopbackLink = ({ addresses, stats }: NetworkInterface) =>
  stats.flags.includes('loopback') || addresses.some(({ address }) => address === '127.0.0.1' || address === '::1');

function totals(key: string, name: string, traffic: InterfaceTraffic | undefined): EntityState[] {
  const total = { stateClass: 'total_increasing', isOff: true, isDiagnostic: true } as const;
  return [
    sizeSensor(`net_${key}_rx_total`, `${name} received`, traffic?.received ?? null, 'GB', total),
    sizeSensor(`net_${key}_tx_total`, `${name} sent`, traffic?.sent ?? null, 'GB', total),
  ];
}

/** null: the platform counts only the sum of all interfaces. */
function sumOf(links: readonly NetworkInterface[], traffic: Map<string, InterfaceTraffic>): InterfaceTraffic | null {
  if (traffic.size === 0) return null;
  const sum = { received: 0, sent: 0 };
  for (const { name } of links) {
    const known = traffic.get(name);
    sum.received += known?.received ?? 0;
    sum.sent += known?.sent ?? 0;
  }
  return sum;
}
