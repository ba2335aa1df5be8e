import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';

/** Packet queues of this machine, and its neighbours: from files of /proc/net. */
export function queueMetrics(softnet: string, arp: string, udp: string, udp6: string): Metric[] {
  return [...softnetMetrics(softnet), arpMetric(arp), udpMetric(udp, udp6)];
}

/** Columns of hexadecimal numbers, a line for each core; since 5.10 the 13th column is the core. */
function softnetMetrics(text: string): Metric[] {
  const cores = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const columns = line.split(' ').map((column) => Number.parseInt(column, 16));
      return { cpu: String(columns[12] ?? index), columns };
    });
  const each = (column: number) => cores.map(({ cpu, columns }) => [{ cpu }, columns[column]] as const);
  return [
    counter('node_softnet_processed', 'Packets that each core took from its queue', each(0)),
    counter('node_softnet_dropped', 'Packets dropped because the queue of a core was full', each(1)),
    counter('node_softnet_times_squeezed', 'How often a core ran out of time with packets left', each(2)),
    counter('node_softnet_cpu_collision', 'How often two cores tried to send through one device at once', each(8)),
    counter('node_softnet_received_rps', 'How often another core woke this one for its packets', each(9)),
    counter('node_softnet_flow_limit_count', 'Packets dropped because one connection sent too many', each(10)),
    gauge('node_softnet_backlog_len', 'Packets that wait in the queue of a core', each(11)),
  ];
}

/** The device is in the sixth column. */
function arpMetric(text: string): Metric {
  const devices = text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.trim().split(/\s+/)[5] ?? []);
  return gauge(
    'node_arp_entries',
    'Neighbours whose hardware address is known',
    [...Map.groupBy(devices, (device) => device)].map(([device, { length }]) => [{ device }, length]),
  );
}

function udpMetric(udp: string, udp6: string): Metric {
  return gauge(
    'node_udp_queues',
    'Bytes of UDP that wait to be sent or to be read',
    [...queued(udp, 'v4'), ...queued(udp6, 'v6')].map(({ value, ...labels }) => [labels, value]),
  );
}

/** `sl local remote st tx:rx …`, hexadecimal. */
function queued(text: string, ip: string): { ip: string; queue: string; value: number }[] {
  if (text === '') return [];
  let [tx, rx] = [0, 0];
  for (const line of text.split('\n').slice(1)) {
    const [sent = '', received = ''] = (line.trim().split(/\s+/)[4] ?? '').split(':');
    tx += Number.parseInt(sent, 16) || 0;
    rx += Number.parseInt(received, 16) || 0;
  }
  return [
    { ip, queue: 'tx', value: tx },
    { ip, queue: 'rx', value: rx },
  ];
}
