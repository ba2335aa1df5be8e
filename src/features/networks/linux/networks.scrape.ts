import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import { kernelUnitsOf } from '../../../host/linux/proc/auxv.ts';
import { inSlices } from '../../../lib/slices.ts';
import { bondMetrics } from './networks.bond-metrics.ts';
import { connectionTrackingMetrics } from './networks.conntrack-metrics.ts';
import { linkMetrics } from './networks.link-metrics.ts';
import { protocolMetrics } from './networks.protocol-metrics.ts';
import { queueMetrics } from './networks.queue-metrics.ts';
import { socketMetrics } from './networks.socket-metrics.ts';
import { trafficMetrics } from './networks.traffic-metrics.ts';
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
  const states = await inSlices(clock, countSocketStates(files, directory, await netlink().catch(() => null)));
  return [
    ...trafficMetrics(read('dev'), (device) => files.text(`/sys/class/net/${device}/statistics/rx_nohandler`)),
    ...linkMetrics(files, clock.monotonic()),
    ...bondMetrics(files),
    ...protocolMetrics(files, [read('netstat'), read('snmp')], read('snmp6')),
    ...socketMetrics([read('sockstat'), read('sockstat6')], pageBytes),
    ...queueMetrics({ softnet: read('softnet_stat'), arp: read('arp'), udp: read('udp'), udp6: read('udp6') }),
    ...connectionTrackingMetrics(files, read('stat/nf_conntrack')),
    gauge(
      'hostler_connections',
      'TCP and UDP sockets by state',
      [...states].map(([status, number]) => [{ status }, number]),
    ),
  ];
}
