import { counter, gauge, type ModuleMetrics } from '../../core/metrics.ts';
import { parseDev } from '../../host/linux/net/proc-net.links.ts';
import { netDirectory } from '../../host/linux/net/proc-net.ts';
import type { LinkCounters } from '../../protocols/netlink/link.ts';
import type { NetworkInterface, Networks } from './networks.schema.ts';

export const networksSamples: ModuleMetrics<Networks> = {
  read({ networks, connections }, { files }) {
    // The payload has the sum of all interfaces only.
    const counted = [...parseDev(files.text(`${netDirectory(files)}/dev`) ?? '')];
    const each = (value: (counters: LinkCounters) => number) =>
      counted.map(([device, counters]) => [{ device }, value(counters)] as const);
    const states = (value: (stats: NetworkInterface['stats']) => number | boolean | null) =>
      networks.map(({ name, stats }) => [{ device: name }, value(stats)] as const);
    const byStatus = Map.groupBy(connections, ({ status }) => status);
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
      gauge(
        'node_network_mtu_bytes',
        'Longest packet',
        states(({ mtu }) => mtu),
      ),
      gauge(
        'node_network_speed_bytes',
        'Speed of the connection, a second',
        states(({ speed }) => speed && speed * 125_000),
      ),
      gauge(
        'hostler_network_up',
        'Whether an interface is up and has a connection',
        states(({ isup }) => isup),
      ),
      gauge(
        'hostler_connections',
        'TCP and UDP sockets by state',
        [...byStatus].map(([status, { length }]) => [{ status }, length]),
      ),
    ];
  },
};
