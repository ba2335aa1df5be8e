import { gauge, type Metric, metricsOfEach } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import { kernelUnitsOf } from '../../../host/linux/proc/auxv.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { inSlices } from '../../../lib/slices.ts';
import { linkMetrics } from './networks.link-metrics.ts';
import { protocolMetrics } from './networks.protocol-metrics.ts';
import { queueMetrics } from './networks.queue-metrics.ts';
import { trafficMetrics } from './networks.traffic-metrics.ts';
import { parseUdp } from './socket-counts.ts';
import { countSocketStates } from './socket-states.ts';

/** The payload has only the sum of all interfaces, and resolves the owner of every connection, which costs most. */
export async function networksMetricsLinux({
  files,
  netlink,
  clock,
}: Pick<LinuxHost, 'files' | 'netlink' | 'clock'>): Promise<Metric[]> {
  const directory = netDirectory(files);
  const read = (file: string) => files.text(`${directory}/${file}`) ?? '';
  const { pageBytes } = kernelUnitsOf(files);
  const [sockstat, sockstat6] = [read('sockstat'), read('sockstat6')];
  const kernel = await netlink().catch(() => null);
  const states = await inSlices(clock, countSocketStates(files, directory, kernel, parseUdp(sockstat, sockstat6)));
  return [
    ...trafficMetrics(read('dev'), (device) => files.text(`/sys/class/net/${device}/statistics/rx_nohandler`)),
    ...linkMetrics(files, clock.monotonic()),
    ...bondMetrics(files),
    ...protocolMetrics(files, [read('netstat'), read('snmp')], read('snmp6')),
    ...socketMetrics([sockstat, sockstat6], pageBytes),
    ...queueMetrics(read('softnet_stat'), read('arp'), read('udp'), read('udp6')),
    ...connectionTrackingMetrics(files, read('stat/nf_conntrack')),
    gauge(
      'hostler_connections',
      'TCP and UDP sockets by state',
      [...states].map(([status, number]) => [{ status }, number]),
    ),
  ];
}

const directory = '/sys/class/net';

/** Interfaces made of several others. https://docs.kernel.org/networking/bonding.html */
function bondMetrics(files: Files): Metric[] {
  const masters = words(files.text(`${directory}/bonding_masters`));
  if (masters.length === 0) return [];
  const bonds = masters.map((master) => {
    const slaves = words(files.text(`${directory}/${master}/bonding/slaves`));
    const active = slaves.filter((slave) => isUp(files, master, slave)).length;
    return [{ master }, { slaves: slaves.length, active }] as const;
  });
  return metricsOfEach('gauge', bonds, [
    ['node_bonding_slaves', 'Interfaces that a bond consists of', ({ slaves }) => slaves],
    ['node_bonding_active', 'Interfaces of a bond that have a link', ({ active }) => active],
  ]);
}

function isUp(files: Files, master: string, slave: string): boolean {
  const place = `${directory}/${master}/lower_${slave}/bonding_slave/mii_status`;
  return (files.text(place) ?? files.text(`${directory}/${slave}/bonding_slave/mii_status`))?.trim() === 'up';
}

const words = (text: string | null) => (text ?? '').split(/\s+/).filter((word) => word !== '');

/** The exported columns. They only grow, but node_exporter declares them as gauges. */
const columns = {
  found: 'Packets of connections that were known',
  invalid: 'Packets that cannot be followed',
  ignore: 'Packets that need not be followed',
  insert: 'Connections added',
  insert_failed: 'Connections that could not be added',
  drop: 'Packets dropped because the table was full',
  early_drop: 'Connections forgotten to make room for others',
  search_restart: 'Searches that began anew because the table changed',
};

/** The connections tracked by the firewall. `stat`: a line of names, then a line of hexadecimal numbers for each core. */
function connectionTrackingMetrics(files: Files, stat: string): Metric[] {
  const setting = (name: string) => numberIn(files.text(`/proc/sys/net/netfilter/${name}`));
  const entries = setting('nf_conntrack_count');
  if (entries === null) return [];
  const [heading = '', ...lines] = stat.trim().split('\n');
  const names = heading.trim().split(/\s+/);
  const cores = lines.map((line) => line.trim().split(/\s+/));
  const sum = (name: string) => {
    const column = names.indexOf(name);
    if (column === -1) return null;
    return cores.reduce((total, values) => total + (Number.parseInt(values[column] ?? '', 16) || 0), 0);
  };
  return [
    gauge('node_nf_conntrack_entries', 'Connections that the firewall follows', entries),
    gauge('node_nf_conntrack_entries_limit', 'Connections it can follow at most', setting('nf_conntrack_max')),
    ...Object.entries(columns).map(([name, help]) => gauge(`node_nf_conntrack_stat_${name}`, help, sum(name))),
  ];
}

/** `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1`, memory of TCP and UDP in pages. */
function socketMetrics(tables: readonly string[], pageBytes: number): Metric[] {
  return tables.flatMap((text) =>
    text.split('\n').flatMap((line) => {
      const [protocol = '', ...pairs] = line.split(' ');
      const found: Metric[] = [];
      for (let at = 0; at + 1 < pairs.length; at += 2) {
        const [field, value] = [pairs[at], Number(pairs[at + 1])];
        const name = `${protocol.slice(0, -1)}_${field}`;
        found.push(gauge(`node_sockstat_${name}`, `Sockets: ${name.replace('_', ' ')}`, value));
        if (field === 'mem')
          found.push(
            gauge(`node_sockstat_${name}_bytes`, `Memory of sockets: ${name.replace('_mem', '')}`, value * pageBytes),
          );
      }
      return found;
    }),
  );
}
