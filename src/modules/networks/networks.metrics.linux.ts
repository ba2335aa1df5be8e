import { counter, type Metric } from '../../core/metrics.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { parseDev } from '../../host/linux/net/proc-net.links.ts';
import { netDirectory } from '../../host/linux/net/proc-net.ts';
import type { LinkCounters } from '../../protocols/netlink/link.ts';

/** The payload has the sum of all interfaces only. */
export function networksMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  const counted = [...parseDev(files.text(`${netDirectory(files)}/dev`) ?? '')];
  const each = (value: (counters: LinkCounters) => number) =>
    counted.map(([device, counters]) => [{ device }, value(counters)] as const);
  return [
    counter(
      'node_network_receive_bytes',
      'Bytes received',
      each(({ bytesReceived }) => bytesReceived),
    ),
    counter(
      'node_network_receive_packets',
      'Packets received',
      each(({ packetsReceived }) => packetsReceived),
    ),
    counter(
      'node_network_receive_errs',
      'Errors while receiving',
      each(({ errorsIn }) => errorsIn),
    ),
    counter(
      'node_network_receive_drop',
      'Incoming packets that were dropped',
      each(({ dropsIn }) => dropsIn),
    ),
    counter(
      'node_network_transmit_bytes',
      'Bytes sent',
      each(({ bytesSent }) => bytesSent),
    ),
    counter(
      'node_network_transmit_packets',
      'Packets sent',
      each(({ packetsSent }) => packetsSent),
    ),
    counter(
      'node_network_transmit_errs',
      'Errors while sending',
      each(({ errorsOut }) => errorsOut),
    ),
    counter(
      'node_network_transmit_drop',
      'Outgoing packets that were dropped',
      each(({ dropsOut }) => dropsOut),
    ),
  ];
}
