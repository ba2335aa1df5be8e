import { maskText } from '@hostler/netlink/ip-text.ts';
import type { Reasons } from '../../../core/reasons.ts';
import { type Adapter, type AdapterAddress, loopbackType } from '../../../host/windows/native/iphlpapi.adapters.ts';
import { MIB_IF_ROW2 } from '../../../host/windows/native/iphlpapi.structs.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { NetworkAddress, NetworkInterface, NetworkIo } from '../networks.schema.ts';

export function toInterface(adapter: Adapter, io: NetworkInterface['io']): NetworkInterface {
  const ofFamily = (family: 4 | 6) => adapter.addresses.filter((address) => address.family === family);
  const ip = [...ofFamily(4), ...ofFamily(6)].map((address) => toAddress(address, adapter));
  const mac: NetworkAddress[] =
    adapter.mac === null ? [] : [{ address: adapter.mac, family: 'MAC', netmask: null, broadcast: null, ptp: null }];
  return {
    name: adapter.name,
    addresses: [...ip, ...mac],
    stats: {
      isup: adapter.isUp,
      duplex: '',
      speed: adapter.speed === null || !adapter.isUp ? null : Math.round(adapter.speed / 1e6),
      mtu: adapter.mtu,
      flags: flagsOf(adapter),
    },
    io,
  };
}

function toAddress({ family, address, prefix }: AdapterAddress, { name, type }: Adapter): NetworkAddress {
  const hasBroadcast = family === 4 && type !== loopbackType && prefix > 0 && prefix < 31;
  return {
    address: family === 6 && /^fe[89ab]/.test(address) ? `${address}%${name}` : address,
    family: family === 4 ? 'IPv4' : 'IPv6',
    netmask: maskText(family, prefix),
    broadcast: hasBroadcast ? broadcastOf(address, prefix) : null,
    ptp: null,
  };
}

/** The last address of a network. */
export function broadcastOf(address: string, prefix: number): string {
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - prefix);
  const last = Math.floor(number / size) * size + size - 1;
  return [24, 16, 8, 0].map((shift) => Math.floor(last / 2 ** shift) % 256).join('.');
}

const { PPP, TUNNEL } = { PPP: 23, TUNNEL: 131 };

/** With the names of Linux. */
function flagsOf({ isUp, type, canMulticast }: Adapter): string[] {
  const isPointToPoint = type === PPP || type === TUNNEL;
  return [
    ...(isUp ? ['up'] : []),
    ...(type === loopbackType || isPointToPoint ? [] : ['broadcast']),
    ...(type === loopbackType ? ['loopback'] : []),
    ...(isPointToPoint ? ['pointopoint'] : []),
    ...(isUp ? ['running'] : []),
    ...(canMulticast ? ['multicast'] : []),
  ];
}

/** Bytes by the index of the interface. */
export function parseBytes(rows: Uint8Array | null): Map<number, NonNullable<NetworkInterface['io']>> {
  const bytes = new Map<number, NonNullable<NetworkInterface['io']>>();
  for (let at = 0; rows !== null && at + MIB_IF_ROW2.size <= rows.length; at += MIB_IF_ROW2.size) {
    const { InterfaceIndex, OutOctets, InOctets } = readStruct(MIB_IF_ROW2, rows, at);
    bytes.set(InterfaceIndex, { bytes_sent: OutOctets, bytes_recv: InOctets });
  }
  return bytes;
}

/** Of adapters only: filters count each packet again. */
export function parseIo(rows: Uint8Array | null, adapters: Adapter[]): NetworkIo | null {
  if (rows === null || adapters.length === 0) return null;
  const known = new Set(adapters.map(({ index }) => index));
  const io = {
    bytes_sent: 0,
    bytes_recv: 0,
    packets_sent: 0,
    packets_recv: 0,
    errin: 0,
    errout: 0,
    dropin: 0,
    dropout: 0,
  };
  for (let at = 0; at + MIB_IF_ROW2.size <= rows.length; at += MIB_IF_ROW2.size) {
    const row = readStruct(MIB_IF_ROW2, rows, at);
    if (!known.has(row.InterfaceIndex)) continue;
    io.bytes_sent += row.OutOctets;
    io.bytes_recv += row.InOctets;
    io.packets_sent += row.OutUcastPkts + row.OutNUcastPkts;
    io.packets_recv += row.InUcastPkts + row.InNUcastPkts;
    io.errin += row.InErrors;
    io.errout += row.OutErrors;
    io.dropin += row.InDiscards;
    io.dropout += row.OutDiscards;
  }
  return io;
}

export function explainInterfaces(networks: NetworkInterface[], io: NetworkIo | null, reasons: Reasons): void {
  const addresses = networks.flatMap((entry) => entry.addresses);
  if (addresses.some(({ netmask }) => netmask === null))
    reasons.inherent('networks[].addresses[].netmask', 'A MAC address has no netmask');
  if (addresses.some(({ broadcast }) => broadcast === null))
    reasons.inherent(
      'networks[].addresses[].broadcast',
      'IPv6, loopback and tunnels have no broadcast address, and that of a MAC address is always the same',
    );
  if (addresses.some(({ ptp }) => ptp === null))
    reasons.inherent(
      'networks[].addresses[].ptp',
      'Windows does not report the peer address of a point-to-point connection',
    );
  if (networks.some(({ stats }) => stats.speed === null))
    reasons.inherent('networks[].stats.speed', 'Loopback, tunnels and interfaces without a connection have no speed');
  if (networks.some(({ stats }) => stats.mtu === null))
    reasons.inherent('networks[].stats.mtu', 'The loopback interface has no MTU limit');
  const unreported = 'Windows does not report the counters of the interfaces';
  if (io === null) reasons.missing('io', unreported);
  if (networks.some((each) => each.io === null)) reasons.missing('networks[].io', unreported);
}
