import { loadFor, type PerPlatform } from '../../core/platform.ts';
import {
  binarySensor,
  type EntityState,
  type ModuleEntities,
  rateOf,
  roundedTo,
  sensor,
  sizeSensor,
  uniqueKeys,
} from '../../core/readings/entities.ts';
import type { Host } from '../../host/host.ts';
import type { NetworkInterface, Networks } from './networks.schema.ts';

/** Bytes since the interface came up. */
export interface InterfaceTraffic {
  received: number;
  sent: number;
}

/** The payload has the sum of all interfaces only, loopback included. */
const platforms: PerPlatform<Map<string, InterfaceTraffic>> = {
  linux: async () => (await import('./linux/networks.rates.ts')).interfaceTrafficLinux,
};

const off = { isOff: true, isDiagnostic: true };

export async function networksEntities(host: Host): Promise<ModuleEntities<Networks>> {
  const readTraffic = await loadFor(host, platforms);
  const addresses = () => JSON.stringify(host.network.addresses());
  let before: InterfaceTraffic | null = null;
  let known: { payload: Networks | null; addresses: string } = { payload: null, addresses: '' };
  return {
    atMostEvery: 60,
    // Finding the owner of every socket costs more than all the rest; what is shown are addresses and traffic.
    keepsPayload: { seconds: readTraffic === null ? 60 : 600, isOutdated: () => addresses() !== known.addresses },
    read(payload, earlier) {
      if (payload !== known.payload) known = { payload, addresses: addresses() };
      const { networks, io } = payload;
      const traffic = readTraffic?.() ?? new Map<string, InterfaceTraffic>();
      const real = networks.filter((link) => !isLoopback(link));
      const sum = sumOf(real, traffic) ?? (io && { received: io.bytes_recv, sent: io.bytes_sent });
      const speed = (key: string, name: string, way: keyof InterfaceTraffic): EntityState => {
        const perSecond = earlier && rateOf(sum?.[way], before?.[way], earlier.seconds);
        return sensor(key, name, perSecond === null ? null : roundedTo((perSecond * 8) / 1e6, 3), {
          unit: 'Mbit/s',
          deviceClass: 'data_rate',
        });
      };
      const states = [
        sensor('ip_address', 'IP address', addressOf(real), {
          stateClass: null,
          isDiagnostic: true,
          icon: 'mdi:ip-network',
        }),
        ...(payload.vpns === undefined
          ? []
          : [
              binarySensor(
                'vpn',
                'VPN',
                payload.vpns.some(({ up }) => up),
                {
                  deviceClass: 'connectivity',
                  isDiagnostic: true,
                },
              ),
            ]),
        speed('net_rx', 'Network received', 'received'),
        speed('net_tx', 'Network sent', 'sent'),
        ...uniqueKeys(real, ({ name }) => name).flatMap(([key, link]) => interfaceStates(key, link, traffic)),
      ];
      before = sum;
      return states;
    },
  };
}

function interfaceStates(
  key: string,
  { name, stats }: NetworkInterface,
  traffic: Map<string, InterfaceTraffic>,
): EntityState[] {
  const total = { stateClass: 'total_increasing', ...off } as const;
  const known = traffic.get(name);
  return [
    binarySensor(`net_${key}_up`, `${name} up`, stats.isup, { deviceClass: 'connectivity', ...off }),
    sizeSensor(`net_${key}_rx_total`, `${name} received`, known?.received ?? null, 'GB', total),
    sizeSensor(`net_${key}_tx_total`, `${name} sent`, known?.sent ?? null, 'GB', total),
  ];
}

/** null: this machine does not tell them apart. */
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

const isLoopback = ({ addresses, stats }: NetworkInterface) =>
  stats.flags.includes('loopback') || addresses.some(({ address }) => address === '127.0.0.1' || address === '::1');

/** Of the first interface that is up; IPv4 where there is one. */
function addressOf(links: readonly NetworkInterface[]): string | null {
  const all = links
    .filter(({ stats }) => stats.isup !== false)
    .flatMap(({ addresses }) => addresses)
    .filter(({ address }) => !/^(?:169\.254\.|fe[89ab])/i.test(address));
  const found = all.find(({ family }) => family === 'IPv4') ?? all.find(({ family }) => family === 'IPv6');
  return found?.address ?? null;
}
