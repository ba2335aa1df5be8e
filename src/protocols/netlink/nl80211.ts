import type { EachMessage, Netlink, NetlinkSocket } from './netlink.ts';
import { eachAttribute } from './rtnetlink.ts';

/** The wireless network an interface is connected to, or offers. */
export interface WifiLink {
  ssid: string | null;
  /** MHz. */
  frequency: number | null;
  /** dBm, and Mbit/s; null also where there are several stations, each with its own. */
  signal: number | null;
  sendRate: number | null;
  receiveRate: number | null;
}

export interface Nl80211 {
  /** By the numbers of the interfaces; those that are connected to nothing are not in it. Throws where the kernel refuses. */
  read(indexes: readonly number[]): Generator<void, Map<number, WifiLink>>;
  close(): void;
}

const NETLINK_GENERIC = 16;
/** https://docs.kernel.org/networking/generic_netlink.html */
const GENL_ID_CTRL = 16;
const CTRL_CMD_GETFAMILY = 3;
const CTRL_ATTR_FAMILY_ID = 1;
const CTRL_ATTR_FAMILY_NAME = 2;
const genericHeaderBytes = 4;

/** include/uapi/linux/nl80211.h */
const NL80211_CMD_GET_INTERFACE = 5;
const NL80211_CMD_GET_STATION = 17;
const NL80211_ATTR_IFINDEX = 3;
const NL80211_ATTR_STA_INFO = 21;
const NL80211_ATTR_WIPHY_FREQ = 38;
const NL80211_ATTR_SSID = 52;
const NL80211_STA_INFO_SIGNAL = 7;
const NL80211_STA_INFO_TX_BITRATE = 8;
const NL80211_STA_INFO_SIGNAL_AVG = 13;
const NL80211_STA_INFO_RX_BITRATE = 14;
const NL80211_RATE_INFO_BITRATE = 1;
const NL80211_RATE_INFO_BITRATE32 = 5;

export function createNl80211(netlink: Netlink): Nl80211 {
  let socket: NetlinkSocket | null = null;
  let family: number | null = null;
  const opened = () => {
    socket ??= netlink.open(NETLINK_GENERIC);
    return socket;
  };

  /** Numbers of families are given at run time. All are asked for: the answer about one may be longer than a short message. */
  function* findFamily(): Generator<void, number | null> {
    let found: number | null = null;
    yield* opened().ask(GENL_ID_CTRL, command(CTRL_CMD_GETFAMILY), (bytes, at, end) => {
      const { id, name } = parseFamily(bytes, at, end);
      if (name === 'nl80211') found = id;
    });
    return found;
  }

  return {
    *read(indexes) {
      family ??= yield* findFamily();
      const links = new Map<number, WifiLink>();
      // The module with Wi-Fi in it is not loaded.
      if (family === null) return links;
      yield* opened().ask(family, command(NL80211_CMD_GET_INTERFACE), (bytes, at, end) => {
        const { index, ssid, frequency } = parseWifiInterface(bytes, at, end);
        const none = { signal: null, sendRate: null, receiveRate: null };
        if (ssid !== null && indexes.includes(index)) links.set(index, { ssid, frequency, ...none });
      });
      for (const [index, link] of links) {
        const stations: Station[] = [];
        const take: EachMessage = (bytes, at, end) => void stations.push(parseStation(bytes, at, end));
        yield* opened().ask(family, command(NL80211_CMD_GET_STATION, index), take);
        const [only, ...others] = stations;
        if (only !== undefined && others.length === 0) Object.assign(link, only);
      }
      return links;
    },
    close() {
      socket?.close();
      socket = null;
      family = null;
    },
  };
}

/** struct genlmsghdr, and the interface it is about. */
function command(number: number, index?: number): Uint8Array {
  const body = new Uint8Array(genericHeaderBytes + (index === undefined ? 0 : 8));
  const view = new DataView(body.buffer);
  view.setUint8(0, number);
  view.setUint8(1, 1);
  if (index === undefined) return body;
  view.setUint16(4, 8, true);
  view.setUint16(6, NL80211_ATTR_IFINDEX, true);
  view.setUint32(8, index, true);
  return body;
}

function parseFamily(bytes: DataView, at: number, end: number): { id: number | null; name: string } {
  const family: { id: number | null; name: string } = { id: null, name: '' };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type === CTRL_ATTR_FAMILY_ID && length >= 2) family.id = bytes.getUint16(from, true);
    // Ends with a zero byte.
    else if (type === CTRL_ATTR_FAMILY_NAME) family.name = textOf(bytes, from, length - 1);
  });
  return family;
}

export function parseWifiInterface(
  bytes: DataView,
  at: number,
  end: number,
): { index: number; ssid: string | null; frequency: number | null } {
  const link: ReturnType<typeof parseWifiInterface> = { index: 0, ssid: null, frequency: null };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type === NL80211_ATTR_IFINDEX && length >= 4) link.index = bytes.getUint32(from, true);
    else if (type === NL80211_ATTR_SSID && length > 0) link.ssid = textOf(bytes, from, length);
    else if (type === NL80211_ATTR_WIPHY_FREQ && length >= 4) link.frequency = bytes.getUint32(from, true);
  });
  return link;
}

type Station = Pick<WifiLink, 'signal' | 'sendRate' | 'receiveRate'>;

export function parseStation(bytes: DataView, at: number, end: number): Station {
  const station: Station = { signal: null, sendRate: null, receiveRate: null };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type !== NL80211_ATTR_STA_INFO) return;
    eachAttribute(bytes, from, from + length, (kind, place, size) => {
      // The average is steadier; not every driver has it.
      if (kind === NL80211_STA_INFO_SIGNAL && size >= 1) station.signal ??= bytes.getInt8(place);
      else if (kind === NL80211_STA_INFO_SIGNAL_AVG && size >= 1) station.signal = bytes.getInt8(place);
      else if (kind === NL80211_STA_INFO_TX_BITRATE) station.sendRate = parseRate(bytes, place, place + size);
      else if (kind === NL80211_STA_INFO_RX_BITRATE) station.receiveRate = parseRate(bytes, place, place + size);
    });
  });
  return station;
}

/** In units of 100 kbit/s; what is faster than 6.5 Gbit/s fits into the newer one only. */
function parseRate(bytes: DataView, from: number, end: number): number | null {
  let rate: number | null = null;
  eachAttribute(bytes, from, end, (type, at, length) => {
    if (type === NL80211_RATE_INFO_BITRATE32 && length >= 4) rate = bytes.getUint32(at, true) / 10;
    else if (type === NL80211_RATE_INFO_BITRATE && length >= 2) rate ??= bytes.getUint16(at, true) / 10;
  });
  return rate;
}

/** A name is bytes; most are UTF-8. */
function textOf(bytes: DataView, at: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.max(0, length)).toString();
}
