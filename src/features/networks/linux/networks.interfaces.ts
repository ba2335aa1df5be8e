import { maskText } from '@hostler/netlink/ip-text.ts';
import {
  IFF_RUNNING,
  type LinkAddress,
  type LinkCounters,
  type LinkTable,
  type NetlinkLink,
} from '@hostler/netlink/link.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { NetworkAddress, NetworkInterface, NetworkIo } from '../networks.schema.ts';
import { explainAddresses, sumOfIo } from '../networks.shared.ts';
import { createLinkReader } from './links.ts';
import { createLinkModes, type LinkMode } from './networks.modes.ts';
import { createWakeReader } from './networks.wake.ts';
import { createWifiReader } from './networks.wifi.ts';

/** Changes without a notification, such as a speed set by hand, are found at this interval. */
const cachedMs = 60_000;

export type InterfaceReader = ReturnType<typeof createInterfaceReader>;

export function createInterfaceReader({ files, clock }: LinuxHost, netlink: Netlink | null) {
  const wifi = createWifiReader({ files, clock }, netlink);
  const reader = createLinkReader(files, netlink);
  const modes = createLinkModes(files, clock);
  const wake = createWakeReader({ files, clock }, netlink);
  let last: { table: LinkTable; networks: NetworkInterface[]; readAt: number } | null = null;

  function* readAll() {
    const table = yield* reader.read();
    const networks = table.links.map((link) => toInterface(link, table.addresses, modes.of(link)));
    modes.forgetOthers(table.links);
    last = { table, networks, readAt: clock.monotonic() };
    return { table, networks, io: sumOf(table.links.map(({ counters }) => counters)) };
  }

  return {
    /** `unchanged`: only the counters can differ from the last read. */
    *read(unchanged: boolean, reasons: Reasons) {
      const isCached = unchanged && last !== null && clock.monotonic() - last.readAt < cachedMs;
      const { table, networks, io } = isCached && last !== null ? counted(last, reader.counters()) : yield* readAll();
      explain(table, networks, io, reasons);
      const wireless = yield* wifi.read(table.links, reasons);
      const wakes = yield* wake.read(table.links, reasons);
      if (wireless.size === 0 && wakes.size === 0) return { networks, io, links: table.links };
      const withHardware = (each: NetworkInterface): NetworkInterface => {
        const joined = wireless.get(each.name);
        return { ...each, ...wakes.get(each.name), ...(joined !== undefined && { wifi: joined }) };
      };
      return { networks: networks.map(withHardware), io, links: table.links };
    },
    close() {
      reader.close();
      wifi.close();
      wake.close();
    },
  };
}

/** The previous interfaces with new counters. */
function counted(
  { table, networks }: { table: LinkTable; networks: NetworkInterface[] },
  counters: ReadonlyMap<string, LinkCounters>,
) {
  return {
    table,
    networks: networks.map((each) => ({ ...each, io: bytesOf(counters.get(each.name) ?? null) })),
    io: sumOf([...counters.values()]),
  };
}

const bytesOf = (counters: LinkCounters | null): NetworkInterface['io'] =>
  counters === null ? null : { bytes_sent: counters.bytesSent, bytes_recv: counters.bytesReceived };

function toInterface(link: NetlinkLink, addresses: LinkAddress[], { speed, duplex }: LinkMode): NetworkInterface {
  const own = addresses.filter(({ index }) => index === link.index);
  const ofFamily = (family: 4 | 6) => own.filter((address) => address.family === family);
  const ip = [...ofFamily(4), ...ofFamily(6)].map((address) => toAddress(address, link.name));
  const mac: NetworkAddress[] =
    link.mac === null
      ? []
      : [{ address: link.mac, family: 'MAC', netmask: null, broadcast: link.macBroadcast, ptp: null }];
  const isup = link.flags === null ? null : (link.flags & IFF_RUNNING) !== 0;
  return {
    name: link.name,
    addresses: [...ip, ...mac],
    stats: { isup, duplex, speed, mtu: link.mtu, flags: flagsOf(link.flags ?? 0) },
    io: bytesOf(link.counters),
    ...(link.kind !== null && { kind: shownText(link.kind, 32) }),
  };
}

function toAddress(
  { family, address, prefix, broadcast, peer, isLinkLocal }: LinkAddress,
  name: string,
): NetworkAddress {
  return {
    address: isLinkLocal ? `${address}%${name}` : address,
    family: family === 4 ? 'IPv4' : 'IPv6',
    netmask: maskText(family, prefix),
    broadcast,
    ptp: peer,
  };
}

/** IFF_… of net/if.h, from the lowest bit on, in the usual spelling. */
const flagNames = [
  'up',
  'broadcast',
  'debug',
  'loopback',
  'pointopoint',
  'notrailers',
  'running',
  'noarp',
  'promisc',
  'allmulti',
  'master',
  'slave',
  'multicast',
  'portsel',
  'automedia',
  'dynamic',
];

function flagsOf(bits: number): string[] {
  return flagNames.filter((_name, bit) => (bits & (1 << bit)) !== 0);
}

function sumOf(counts: (LinkCounters | null)[]): NetworkIo | null {
  const known = counts.filter((counters) => counters !== null);
  if (known.length < counts.length || known.length === 0) return null;
  return sumOfIo(
    known.map((counters) => ({
      bytes_sent: counters.bytesSent,
      bytes_recv: counters.bytesReceived,
      packets_sent: counters.packetsSent,
      packets_recv: counters.packetsReceived,
      errin: counters.errorsIn,
      errout: counters.errorsOut,
      dropin: counters.dropsIn,
      dropout: counters.dropsOut,
    })),
  );
}

function explain({ links, unplaced }: LinkTable, networks: NetworkInterface[], io: NetworkIo | null, reasons: Reasons) {
  explainAddresses(
    networks,
    {
      broadcast: 'IPv6, loopback and tunnels have no broadcast address',
      ptp: 'Only a point-to-point connection has a peer address',
    },
    reasons,
  );
  if (links.some(({ flags, mtu }) => flags === null || mtu === null)) {
    const sentence = '/sys/class/net cannot be read; mount /sys, or set HOSTLER_SYS to where it is mounted';
    for (const field of ['isup', 'mtu', 'speed']) reasons.missing(`networks[].stats.${field}`, sentence);
  } else if (networks.some(({ stats }) => stats.speed === null)) {
    reasons.inherent(
      'networks[].stats.speed',
      'Loopback, bridges, tunnels, wireless interfaces and interfaces without a link have no speed',
    );
  }
  if (unplaced.length > 0) {
    reasons.missing(
      'networks[].addresses',
      `Only netlink reports which interfaces ${unplaced.join(', ')} belong to; allow the service to use AF_NETLINK sockets in the network namespace it reports on`,
    );
  }
  const hint = 'mount /proc, or set HOSTLER_PROC to where it is mounted';
  const unread = `The counters in /proc/net/dev cannot be read; ${hint}`;
  if (io === null) reasons.missing('io', unread);
  if (networks.some((each) => each.io === null)) reasons.missing('networks[].io', unread);
}
