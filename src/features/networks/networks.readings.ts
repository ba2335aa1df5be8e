import { asCounter, asSum } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each, metricRow, type Row } from '../../core/readings/rows.ts';
import type { NetworkInterface, Networks } from './networks.schema.ts';
import { isLoopbackLink, publishTraffic } from './networks.traffic.ts';

export const networksReadings = readings<Networks>({
  rows: [
    {
      id: 'ip_address',
      name: 'IP address',
      value: addressOf,
      entity: { stateClass: null, isDiagnostic: true, icon: 'mdi:ip-network' },
    },
    {
      id: 'vpn',
      name: 'VPN',
      value: ({ vpns }) => vpns?.some(({ up }) => up),
      entity: { deviceClass: 'connectivity', isDiagnostic: true },
    },
    {
      help: 'Received by all interfaces but loopback; network.received/eth0 and so on: by one',
      kind: 'counter',
      unit: 'bytes',
      value: ({ io }) => io?.bytes_recv ?? null,
      record: { name: 'network.received', title: 'Network received' },
    },
    {
      help: 'Sent by all interfaces but loopback; network.sent/eth0 and so on: by one',
      kind: 'counter',
      unit: 'bytes',
      value: ({ io }) => io?.bytes_sent ?? null,
      record: { name: 'network.sent', title: 'Network sent' },
    },
    each(
      ({ networks }: Networks) => networks,
      {
        label: ({ name }) => ({ device: name }),
        key: ({ name }) => name,
        hasEntities: (link) => !isLoopbackLink(link),
      },
      [
        {
          id: 'net_{key}_up',
          name: '{title} up',
          help: 'Whether an interface is up and has a link',
          value: ({ stats }) => stats.isup,
          entity: { deviceClass: 'connectivity', isOff: true, isDiagnostic: true },
          prometheus: 'hostler_network_up',
        },
        metricRow('node_network_mtu_bytes', 'Largest packet (MTU)', ({ stats }) => stats.mtu),
        metricRow(
          { name: 'node_network_speed_bytes', scale: 125_000 },
          'Link speed, bytes per second',
          ({ stats }) => stats.speed,
        ),
        {
          help: 'Bytes received',
          kind: 'counter',
          value: ({ io }) => io?.bytes_recv,
          ...traffic('receive', 'bytes', 'system.network.io', 'By'),
        },
        {
          help: 'Bytes sent',
          kind: 'counter',
          value: ({ io }) => io?.bytes_sent,
          ...traffic('transmit', 'bytes', 'system.network.io', 'By'),
        },
        // This convention has another attribute for the interface.
        traffic('receive', 'packets', 'system.network.packet.count', '{packet}', 'system.device'),
        traffic('transmit', 'packets', 'system.network.packet.count', '{packet}', 'system.device'),
        traffic('receive', 'drop', 'system.network.packet.dropped', '{packet}'),
        traffic('transmit', 'drop', 'system.network.packet.dropped', '{packet}'),
        traffic('receive', 'errs', 'system.network.errors', '{error}'),
        traffic('transmit', 'errs', 'system.network.errors', '{error}'),
      ],
    ),
    each(
      ({ connections }: Networks) => [...Map.groupBy(connections, ({ status }) => status)],
      { label: ([status]) => ({ status }) },
      [
        metricRow('hostler_connections', 'TCP and UDP sockets by state', ([, { length }]) => length, {
          otlp: asSum('system.network.connection.count', '{connection}', connectionOf),
        }),
      ],
    ),
  ],
  scrapeAlone: { linux: async () => (await import('./linux/networks.scrape.ts')).networksMetricsLinux },
  scrape: { windows: async () => (await import('./windows/networks.scrape.ts')).networksMetricsWindows },
  entities: publishTraffic,
  history: {
    sets: {
      links: {
        kind: 'link',
        description: 'A network interface came up or went down',
        came: (name) => `The network interface ${name} came up`,
        went: (name) => `The network interface ${name} went down`,
        members: ({ networks }) => networks.flatMap(({ name, stats }) => (stats.isup === true ? [name] : [])),
      },
    },
  },
  sampler: { linux: async () => (await import('./linux/networks.sampler.ts')).networksHistoryLinux },
});

/** A counter of the kernel in one direction; a row without a value appears only in a scrape on Linux. */
function traffic(
  direction: 'receive' | 'transmit',
  what: string,
  name: string,
  unit: string,
  attribute = 'network.interface.name',
): Pick<Row<NetworkInterface>, 'prometheus' | 'otlp'> {
  return {
    prometheus: `node_network_${direction}_${what}`,
    otlp: asCounter(name, unit, ({ device = '' }) => ({ [attribute]: device, 'network.io.direction': direction })),
  };
}

/** Of the first interface that is up; IPv4 if available. */
function addressOf({ networks }: Networks): string | null {
  const all = networks
    .filter((link) => link.stats.isup !== false && !isLoopbackLink(link))
    .flatMap(({ addresses }) => addresses)
    .filter(({ address }) => !/^(?:169\.254\.|fe[89ab])/i.test(address));
  const found = all.find(({ family }) => family === 'IPv4') ?? all.find(({ family }) => family === 'IPv6');
  return found?.address ?? null;
}

/** Sockets of UDP have no state. */
function connectionOf({ status = '' }: Record<string, string>): Record<string, string> {
  if (status === 'NONE') return { 'network.transport': 'udp' };
  return { 'network.transport': 'tcp', 'network.connection.state': states[status] ?? status.toLowerCase() };
}

/** The names of the conventions where they differ from the kernel's. */
const states: Record<string, string> = {
  CLOSE: 'closed',
  FIN_WAIT1: 'fin_wait_1',
  FIN_WAIT2: 'fin_wait_2',
  SYN_RECV: 'syn_received',
};
