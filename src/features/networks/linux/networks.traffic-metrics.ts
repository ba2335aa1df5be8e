import { counter, type Metric } from '../../../core/readings/metrics.ts';
import { devColumns } from '../../../host/linux/net/proc-net.links.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';

/** The columns of /proc/net/dev. https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const columns = [
  ['receive_bytes', 'Bytes received'],
  ['receive_packets', 'Packets received'],
  ['receive_errs', 'Errors while receiving'],
  ['receive_drop', 'Incoming packets that were dropped'],
  ['receive_fifo', 'Incoming packets that found no room in the device'],
  ['receive_frame', 'Incoming packets with a broken frame'],
  ['receive_compressed', 'Compressed packets received'],
  ['receive_multicast', 'Packets received that were sent to many'],
  ['transmit_bytes', 'Bytes sent'],
  ['transmit_packets', 'Packets sent'],
  ['transmit_errs', 'Errors while sending'],
  ['transmit_drop', 'Outgoing packets that were dropped'],
  ['transmit_fifo', 'Outgoing packets that found no room in the device'],
  ['transmit_colls', 'Collisions'],
  ['transmit_carrier', 'Packets not sent because there was no carrier'],
  ['transmit_compressed', 'Compressed packets sent'],
] as const;

/** `unwanted`: packets of an interface that no protocol took. */
export function trafficMetrics(dev: string, unwanted: (device: string) => string | null): Metric[] {
  const links = devColumns(dev);
  return [
    ...columns.map(([name, help], column) =>
      counter(
        `node_network_${name}`,
        help,
        links.map(({ name: device, numbers }) => [{ device }, numbers[column]] as const),
      ),
    ),
    counter(
      'node_network_receive_nohandler',
      'Packets received that no protocol took',
      links.map(({ name: device }) => [{ device }, numberIn(unwanted(device))] as const),
    ),
  ];
}
