import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import { parseAdapters } from '../../host/windows/native/iphlpapi.adapters.ts';
import type { Iphlpapi } from '../../host/windows/native/iphlpapi.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createUnchangedEntries } from '../../lib/unchanged-entries.ts';
import type { NetworkConnection, Networks } from './networks.schema.ts';
import { parseTcp4, parseTcp6, parseUdp4, parseUdp6 } from './windows/networks.connections.ts';
import { explainInterfaces, interfaceRows, sumOfAdapters, toInterface } from './windows/networks.interfaces.ts';
import { createWindowsWake } from './windows/networks.wake.ts';

const { AF_INET, AF_INET6 } = { AF_INET: 2, AF_INET6: 23 };
/** A message to a client holds at most 4 MiB, and a connection takes up to 220 bytes of it. */
const mostConnections = 15_000;

export const networksWindows: CreateSource<Networks, WindowsHost> = (host) => {
  const keepUnchanged = createUnchangedEntries<NetworkConnection>();
  const readWake = createWindowsWake(host);
  return {
    async read(reasons) {
      const { iphlpapi, advapi32 } = await host.native();
      const block = iphlpapi.adapters();
      const adapters = block === null ? [] : parseAdapters(block);
      const rows = interfaceRows(iphlpapi.counters());
      const io = sumOfAdapters(rows, adapters);
      const bytes = new Map(
        rows.map((row) => [row.InterfaceIndex, { bytes_sent: row.OutOctets, bytes_recv: row.InOctets }]),
      );
      const wakes = await readWake(rows, advapi32, reasons);
      const networks = adapters.map((adapter) => ({
        ...toInterface(adapter, bytes.get(adapter.index) ?? null),
        ...wakes.get(adapter.index),
      }));
      if (block === null) reasons.missing('networks', 'GetAdaptersAddresses failed');
      explainInterfaces(networks, io, reasons);
      const connections = readConnections(iphlpapi, reasons).map(
        (each) => [Object.values(each).join(' '), each] as const,
      );
      return { networks, connections: keepUnchanged(connections), io };
    },
  };
};

function readConnections(iphlpapi: Iphlpapi, reasons: Reasons): NetworkConnection[] {
  const tables: [string, Uint8Array | null, (table: Uint8Array) => NetworkConnection[]][] = [
    ['TCP over IPv4', iphlpapi.tcpTable(AF_INET), parseTcp4],
    ['TCP over IPv6', iphlpapi.tcpTable(AF_INET6), parseTcp6],
    ['UDP over IPv4', iphlpapi.udpTable(AF_INET), parseUdp4],
    ['UDP over IPv6', iphlpapi.udpTable(AF_INET6), parseUdp6],
  ];
  const missing = tables.filter(([, table]) => table === null).map(([name]) => name);
  if (missing.length > 0) reasons.missing('connections', `Windows does not list ${missing.join(', ')}`);
  const all = tables.flatMap(([, table, parse]) => (table === null ? [] : parse(table)));
  if (all.length > mostConnections)
    reasons.inherent('connections', `There are more than ${mostConnections}; the rest is left out`);
  const connections = all.slice(0, mostConnections);
  if (connections.length > 0)
    reasons.inherent('connections[].fd', 'Windows has no descriptors, and does not report the handles of others');
  const raddr = 'A socket that is listening or was never connected has no remote address';
  const pid = 'No process holds these sockets: they are being closed';
  explainNulls(connections, 'connections[]', { raddr, pid }, reasons.inherent);
  return connections;
}
