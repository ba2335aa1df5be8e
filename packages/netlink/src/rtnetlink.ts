import { ipv4Text, ipv6Text, macText } from './ip-text.ts';
import { IFF_BROADCAST, type LinkAddress, type LinkCounters, type LinkTable, type NetlinkLink } from './link.ts';
import type { Netlink, NetlinkSocket } from './netlink.ts';

/** https://man7.org/linux/man-pages/man7/rtnetlink.7.html */
export const RTM_NEWLINK = 16;
export const RTM_DELLINK = 17;
const RTM_GETLINK = 18;
export const RTM_NEWADDR = 20;
export const RTM_DELADDR = 21;
const RTM_GETADDR = 22;
const NETLINK_ROUTE = 0;

const AF_INET = 2;
const AF_INET6 = 10;

/** Attempts for a consistent dump; then the last one is used. */
const mostAttempts = 3;

export function createRtnetlink(netlink: Netlink): { read(): Generator<void, LinkTable>; close(): void } {
  let socket: NetlinkSocket | null = null;
  const opened = () => {
    socket ??= netlink.open(NETLINK_ROUTE);
    return socket;
  };

  function* table<T>(type: number, body: Uint8Array, parse: (bytes: DataView, at: number, end: number) => T | null) {
    for (let attempt = 1; ; attempt++) {
      const entries: T[] = [];
      const whole = yield* opened().ask(type, body, (bytes, at, end) => {
        const entry = parse(bytes, at, end);
        if (entry !== null) entries.push(entry);
      });
      if (whole || attempt === mostAttempts) return entries;
    }
  }

  return {
    *read() {
      const links = yield* table(RTM_GETLINK, linkRequest, parseLink);
      const addresses = yield* table(RTM_GETADDR, addressRequest, parseLinkAddress);
      return { links, addresses, unplaced: [] };
    },
    close() {
      socket?.close();
      socket = null;
    },
  };
}

const linkMessageBytes = 16;
const addressMessageBytes = 8;
const IFLA_EXT_MASK = 29;
/** The counters of each protocol, of no use to us, are half of the work. */
const RTEXT_FILTER_SKIP_STATS = 8;
const linkRequest = Uint8Array.from([
  ...Array(linkMessageBytes).fill(0),
  ...numberAttribute(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS),
]);
const addressRequest = new Uint8Array(addressMessageBytes);

const IFLA_ADDRESS = 1;
const IFLA_BROADCAST = 2;
const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFLA_OPERSTATE = 16;
const IFLA_LINKINFO = 18;
const IFLA_STATS64 = 23;
const IFLA_CARRIER_CHANGES = 35;
const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const IFLA_TUN_TYPE = 3;
const IFF_TAP = 2;
const longestKind = 32;

/** null: a message about something else, such as the port of a bridge. */
export function parseLink(bytes: DataView, at: number, end: number): NetlinkLink | null {
  if (bytes.getUint8(at) !== 0) return null;
  const index = bytes.getInt32(at + 4, true);
  const flags = bytes.getUint32(at + 8, true);
  const link: NetlinkLink = {
    index,
    name: '',
    flags,
    mtu: 0,
    mac: null,
    macBroadcast: null,
    kind: null,
    state: '',
    counters: null,
  };
  let operstate = 0;
  let changes = 0;
  eachAttribute(bytes, at + linkMessageBytes, end, (type, from, length) => {
    if (type === IFLA_IFNAME) link.name = text(bytes, from, length);
    else if (type === IFLA_MTU) link.mtu = bytes.getUint32(from, true);
    else if (type === IFLA_ADDRESS) link.mac = macText(bytes, from, length);
    else if (type === IFLA_BROADCAST && (flags & IFF_BROADCAST) !== 0) link.macBroadcast = macText(bytes, from, length);
    else if (type === IFLA_OPERSTATE) operstate = bytes.getUint8(from);
    else if (type === IFLA_CARRIER_CHANGES) changes = bytes.getUint32(from, true);
    else if (type === IFLA_LINKINFO) link.kind = parseKind(bytes, from, from + length);
    else if (type === IFLA_STATS64) link.counters = parseCounters(bytes, from);
  });
  link.state = `${flags} ${operstate} ${changes}`;
  return link;
}

/** A tap carries whole frames, mostly of a virtual machine; the kernel calls both tun. */
function parseKind(bytes: DataView, from: number, end: number): string | null {
  let kind: string | null = null;
  let isTap = false;
  eachAttribute(bytes, from, end, (type, at, length) => {
    if (type === IFLA_INFO_KIND) kind = text(bytes, at, Math.min(length, longestKind));
    else if (type === IFLA_INFO_DATA && kind === 'tun')
      eachAttribute(bytes, at, at + length, (field, place, size) => {
        if (field === IFLA_TUN_TYPE && size >= 1) isTap = bytes.getUint8(place) === IFF_TAP;
      });
  });
  return isTap ? 'tap' : kind;
}

/** struct rtnl_link_stats64. As in /proc/net/dev, what the device had no room for is dropped as well. */
function parseCounters(bytes: DataView, from: number): LinkCounters {
  const counter = (position: number) => {
    const at = from + 8 * position;
    return bytes.getUint32(at + 4, true) * 0x1_0000_0000 + bytes.getUint32(at, true);
  };
  return {
    packetsReceived: counter(0),
    packetsSent: counter(1),
    bytesReceived: counter(2),
    bytesSent: counter(3),
    errorsIn: counter(4),
    errorsOut: counter(5),
    dropsIn: counter(6) + counter(14),
    dropsOut: counter(7),
  };
}

const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const IFA_BROADCAST = 4;
const RT_SCOPE_LINK = 253;

export function parseLinkAddress(bytes: DataView, at: number, end: number): LinkAddress | null {
  const number = bytes.getUint8(at);
  if (number !== AF_INET && number !== AF_INET6) return null;
  const family = number === AF_INET ? 4 : 6;
  const toText = family === 4 ? ipv4Text : ipv6Text;
  let address: string | null = null;
  let local: string | null = null;
  let broadcast: string | null = null;
  eachAttribute(bytes, at + addressMessageBytes, end, (type, from) => {
    if (type === IFA_ADDRESS) address = toText(bytes, from);
    else if (type === IFA_LOCAL) local = toText(bytes, from);
    else if (type === IFA_BROADCAST) broadcast = toText(bytes, from);
  });
  const own = local ?? address;
  if (own === null) return null;
  return {
    index: bytes.getUint32(at + 4, true),
    family,
    address: own,
    prefix: bytes.getUint8(at + 1),
    broadcast,
    // Without a peer both are the same, or only one is there.
    peer: own === address ? null : address,
    isLinkLocal: family === 6 && bytes.getUint8(at + 3) === RT_SCOPE_LINK,
  };
}

const attributeBytes = 4;
const typeMask = 0x3fff;

export function eachAttribute(
  bytes: DataView,
  from: number,
  end: number,
  take: (type: number, at: number, length: number) => void,
): void {
  let at = from;
  while (at + attributeBytes <= end) {
    const length = bytes.getUint16(at, true);
    if (length < attributeBytes || at + length > end) return;
    take(bytes.getUint16(at + 2, true) & typeMask, at + attributeBytes, length - attributeBytes);
    at += (length + 3) & ~3;
  }
}

/** An attribute that holds a number of 32 bits. */
export function numberAttribute(type: number, value: number): number[] {
  return [8, 0, type & 0xff, type >> 8, ...new Uint8Array(Uint32Array.of(value).buffer)];
}

/** Ends with a zero byte. */
function text(bytes: DataView, at: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.max(0, length - 1)).toString();
}
