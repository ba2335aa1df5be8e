import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import { type Adapter, parseAdapters } from '../../../host/windows/native/iphlpapi.adapters.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { interfaceRows, type InterfaceRow as Row } from './networks.interfaces.ts';

/** With the names of windows_exporter. Only a scrape needs the packets of each interface. */
export async function networksMetricsWindows(host: Pick<WindowsHost, 'native'>): Promise<Metric[]> {
  const { iphlpapi } = await host.native();
  const block = iphlpapi.adapters();
  const adapters = new Map((block === null ? [] : parseAdapters(block)).map((adapter) => [adapter.index, adapter]));
  // Filters count each packet again, and are not adapters.
  const known = interfaceRows(iphlpapi.counters()).flatMap((row) => {
    const adapter = adapters.get(row.InterfaceIndex);
    return adapter === undefined ? [] : [{ adapter, row }];
  });
  const each = (value: (row: Row, adapter: Adapter) => number | null) =>
    known.map(({ adapter, row }) => [{ nic: adapter.name }, value(row, adapter)] as const);
  const count = (name: string, help: string, value: (row: Row) => number) =>
    counter(`windows_net_${name}`, help, each(value));
  return [
    count('bytes_received', 'Bytes received', (row) => row.InOctets),
    count('bytes_sent', 'Bytes sent', (row) => row.OutOctets),
    count('bytes', 'Bytes received and sent', (row) => row.InOctets + row.OutOctets),
    count('packets_received', 'Packets received', received),
    count('packets_sent', 'Packets sent', sent),
    count('packets', 'Packets received and sent', (row) => received(row) + sent(row)),
    count('packets_received_discarded', 'Incoming packets that were dropped', (row) => row.InDiscards),
    count('packets_received_errors', 'Errors while receiving', (row) => row.InErrors),
    count('packets_outbound_discarded', 'Outgoing packets that were dropped', (row) => row.OutDiscards),
    count('packets_outbound_errors', 'Errors while sending', (row) => row.OutErrors),
    gauge(
      'windows_net_current_bandwidth_bytes',
      'Link speed, bytes per second',
      each((_row, { isUp, speed }) => (isUp && speed !== null ? speed / 8 : null)),
    ),
  ];
}

const received = ({ InUcastPkts, InNUcastPkts }: Row) => InUcastPkts + InNUcastPkts;
const sent = ({ OutUcastPkts, OutNUcastPkts }: Row) => OutUcastPkts + OutNUcastPkts;
