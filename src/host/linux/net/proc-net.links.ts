import { ipv6Text } from '@hostler/netlink/ip-text.ts';
import {
  IFF_BROADCAST,
  IFF_RUNNING,
  IFF_UP,
  type LinkAddress,
  type LinkCounters,
  type LinkTable,
  type NetlinkLink,
} from '@hostler/netlink/link.ts';
import type { Files } from '../files.ts';
import { placeIpv4 } from './proc-net.ipv4.ts';
import { netDirectory } from './proc-net.ts';

/** The interfaces from /proc and /sys. Addresses of interfaces that are down, and peers, are missing. */
export function createLinkTexts(files: Files): {
  read(): LinkTable;
  counters(): Map<string, LinkCounters>;
  close(): void;
} {
  const directory = netDirectory(files);
  const dev = files.keep(`${directory}/dev`);
  return {
    read() {
      const counters = parseDev(dev.text() ?? '');
      const names = counters.size > 0 ? [...counters.keys()] : files.list('/sys/class/net');
      const links = names.flatMap((name, place) => readLink(files, name, place, counters.get(name) ?? null) ?? []);
      const { placed, unplaced } = placeIpv4(
        files.text(`${directory}/fib_trie`) ?? '',
        files.text(`${directory}/route`) ?? '',
      );
      const indexes = new Map(links.map(({ name, index }) => [name, index]));
      const ipv4 = placed.flatMap(({ name, ...address }): LinkAddress[] => {
        const index = indexes.get(name);
        return index === undefined ? [] : [{ ...address, index, family: 4, peer: null, isLinkLocal: false }];
      });
      const ipv6 = parseIfInet6(files.text(`${directory}/if_inet6`) ?? '', indexes);
      return { links: links.sort((a, b) => a.index - b.index), addresses: [...ipv4, ...ipv6], unplaced };
    },
    counters: () => parseDev(dev.text() ?? ''),
    close: () => dev.close(),
  };
}

/** Two lines of headings, then `name: counters`, those of reception first. */
export const devColumns = (text: string) =>
  text.split('\n').flatMap((line) => {
    const [, name, columns = ''] = /^\s*([^:]+):(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, numbers: columns.trim().split(/\s+/).map(Number) }];
  });

export function parseDev(text: string): Map<string, LinkCounters> {
  const counters = new Map<string, LinkCounters>();
  for (const { name, numbers } of devColumns(text)) {
    const at = (index: number) => numbers[index] ?? 0;
    counters.set(name, {
      bytesReceived: at(0),
      packetsReceived: at(1),
      errorsIn: at(2),
      dropsIn: at(3),
      bytesSent: at(8),
      packetsSent: at(9),
      errorsOut: at(10),
      dropsOut: at(11),
    });
  }
  return counters;
}

/** null: not an interface, such as the file bonding_masters. */
function readLink(files: Files, name: string, place: number, counters: LinkCounters | null): NetlinkLink | null {
  const value = (file: string) => files.text(`/sys/class/net/${name}/${file}`)?.trim() ?? null;
  const index = number(value('ifindex'));
  if (index === null && counters === null) return null;
  const operstate = value('operstate') ?? '';
  const flags = parseFlags(value('flags'), operstate);
  return {
    // Unknown without /sys; out of range above 32 bits.
    index: index ?? 2 ** 32 + place,
    name,
    flags,
    mtu: number(value('mtu')),
    mac: value('address') || null,
    macBroadcast: ((flags ?? 0) & IFF_BROADCAST) === 0 ? null : value('broadcast') || null,
    kind: kindOf(value('uevent') ?? '', number(value('tun_flags'))),
    state: `${flags} ${operstate} ${value('carrier_changes')}`,
    counters,
  };
}

const IFF_TAP = 2;

/** Fewer kinds than in netlink messages: a veth is not distinguishable from hardware, which has no kind. */
function kindOf(uevent: string, tunFlags: number | null): string | null {
  if (tunFlags !== null) return (tunFlags & IFF_TAP) === 0 ? 'tun' : 'tap';
  const kind = /^DEVTYPE=(\w+)$/m.exec(uevent)?.[1] ?? null;
  return kind === 'wlan' || kind === 'wwan' || kind === 'dsa' ? null : kind;
}

/** /sys has the flags that were set; the running flags follow from the operational state. */
function parseFlags(hex: string | null, operstate: string): number | null {
  const flags = number(hex);
  if (flags === null) return null;
  const runs = (flags & IFF_UP) !== 0 && (operstate === 'up' || operstate === 'unknown');
  return runs ? flags | IFF_RUNNING : flags & ~IFF_RUNNING;
}

function number(text: string | null): number | null {
  return text === null || text === '' || Number.isNaN(Number(text)) ? null : Number(text);
}

const IPV6_ADDR_LINKLOCAL = 0x20;

/** Address, index of the interface, prefix length, scope, flags, all in hex, and the name, in no order. */
function parseIfInet6(text: string, indexes: Map<string, number>): LinkAddress[] {
  const addresses = text.split('\n').flatMap((line): LinkAddress[] => {
    const [digits = '', , prefix = '', scope = '', , name = ''] = line.trim().split(/\s+/);
    const index = indexes.get(name);
    if (digits.length !== 32 || index === undefined) return [];
    const bytes = Buffer.from(digits, 'hex');
    return [
      {
        index,
        family: 6,
        address: ipv6Text(new DataView(bytes.buffer, bytes.byteOffset, 16), 0),
        prefix: Number.parseInt(prefix, 16),
        broadcast: null,
        peer: null,
        isLinkLocal: Number.parseInt(scope, 16) === IPV6_ADDR_LINKLOCAL,
      },
    ];
  });
  // The widest scope comes first, as in the kernel's messages.
  return addresses.sort((a, b) => Number(a.isLinkLocal) - Number(b.isLinkLocal));
}
