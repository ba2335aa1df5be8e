import { maskText } from '@hostler/netlink/ip-text.ts';
import { explainNulls, type Reasons } from '../../../core/reasons.ts';
import { type Adapter, type AdapterAddress, loopbackType } from '../../../host/windows/native/iphlpapi.adapters.ts';
import { MIB_IF_ROW2 } from '../../../host/windows/native/iphlpapi.structs.ts';
import { readStructs, type StructValues } from '../../../host/windows/native/structs.ts';
import { networkBroadcast } from '../networks.ipv4.ts';
import type { NetworkAddress, NetworkInterface, NetworkIo } from '../networks.schema.ts';
import { explainAddresses, sumOfIo } from '../networks.shared.ts';

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
  const netmask = maskText(family, prefix);
  return {
    address: family === 6 && /^fe[89ab]/.test(address) ? `${address}%${name}` : address,
    family: family === 4 ? 'IPv4' : 'IPv6',
    netmask,
    broadcast: family === 4 && type !== loopbackType ? networkBroadcast(address, netmask) : null,
    ptp: null,
  };
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

export type InterfaceRow = StructValues<typeof MIB_IF_ROW2>;

export const interfaceRows = (bytes: Uint8Array | null): InterfaceRow[] =>
  readStructs(MIB_IF_ROW2, bytes ?? new Uint8Array());

/** Of adapters only: filters count each packet again. */
export function sumOfAdapters(rows: readonly InterfaceRow[], adapters: Adapter[]): NetworkIo | null {
  if (rows.length === 0 || adapters.length === 0) return null;
  const known = new Set(adapters.map(({ index }) => index));
  const counted = rows.filter(({ InterfaceIndex }) => known.has(InterfaceIndex));
  return sumOfIo(
    counted.map((row) => ({
      bytes_sent: row.OutOctets,
      bytes_recv: row.InOctets,
      packets_sent: row.OutUcastPkts + row.OutNUcastPkts,
      packets_recv: row.InUcastPkts + row.InNUcastPkts,
      errin: row.InErrors,
      errout: row.OutErrors,
      dropin: row.InDiscards,
      dropout: row.OutDiscards,
    })),
  );
}

export function explainInterfaces(networks: NetworkInterface[], io: NetworkIo | null, reasons: Reasons): void {
  explainAddresses(
    networks,
    {
      broadcast: 'IPv6, loopback and tunnels have no broadcast address, and that of a MAC address is always the same',
      ptp: 'Windows does not report the peer address of a point-to-point connection',
    },
    reasons,
  );
  const mtu = 'The loopback interface has no MTU limit';
  const speed = 'Loopback, tunnels and interfaces without a connection have no speed';
  const stats = networks.map((each) => each.stats);
  explainNulls(stats, 'networks[].stats', { speed, mtu }, reasons.inherent);
  const unreported = 'Windows does not report the counters of the interfaces';
  if (io === null) reasons.missing('io', unreported);
  if (networks.some((each) => each.io === null)) reasons.missing('networks[].io', unreported);
}
