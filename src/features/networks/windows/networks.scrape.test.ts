import { expect, test } from 'bun:test';
import path from 'node:path';
import { recordedNative } from '../../../../test/doubles/recorded-native.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import { joined, structBytes } from '../../../../test/harness/struct-bytes.ts';
import { parseAdapters } from '../../../host/windows/native/iphlpapi.adapters.ts';
import { MIB_IF_ROW2 } from '../../../host/windows/native/iphlpapi.structs.ts';
import type { Native } from '../../../host/windows/native/native.ts';
import { networksMetricsWindows } from './networks.scrape.ts';

const recorded = recordedNative(path.join(import.meta.dirname, '..', 'fixtures', 'windows', 'wine-10'));

test('only adapters are counted, with the names of windows_exporter', async () => {
  const block = recorded.iphlpapi.adapters();
  const [adapter] = block === null ? [] : parseAdapters(block);
  const row = (InterfaceIndex: number) =>
    structBytes(MIB_IF_ROW2, {
      InterfaceIndex,
      InOctets: 1000,
      InUcastPkts: 10,
      InNUcastPkts: 2,
      InDiscards: 3,
      InErrors: 4,
      OutOctets: 500,
      OutUcastPkts: 5,
      OutNUcastPkts: 1,
      OutDiscards: 6,
      OutErrors: 7,
    });
  // The second is a filter that counts the same packets again.
  const counters = joined(row(adapter?.index ?? 0), row(9999));
  const iphlpapi = { adapters: () => block, counters: () => counters };
  const metrics = await networksMetricsWindows({ native: async () => ({ iphlpapi }) as unknown as Native });
  const value = (name: string) => linesOf(metrics, `windows_net_${name}`);
  const nic = `{nic="${adapter?.name}"}`;
  expect(value('bytes_received_total')).toEqual([`windows_net_bytes_received_total${nic} 1000`]);
  expect(value('bytes_sent_total')).toEqual([`windows_net_bytes_sent_total${nic} 500`]);
  expect(value('bytes_total')).toEqual([`windows_net_bytes_total${nic} 1500`]);
  expect(value('packets_received_total')).toEqual([`windows_net_packets_received_total${nic} 12`]);
  expect(value('packets_total')).toEqual([`windows_net_packets_total${nic} 18`]);
  expect(value('packets_outbound_errors_total')).toEqual([`windows_net_packets_outbound_errors_total${nic} 7`]);
});

test('a machine without these counters has no such metrics', async () => {
  const iphlpapi = { adapters: () => null, counters: () => null };
  const metrics = await networksMetricsWindows({ native: async () => ({ iphlpapi }) as unknown as Native });
  expect(linesOf(metrics, 'windows_net_bytes_received_total')).toEqual([]);
});
