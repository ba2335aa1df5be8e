import { bytesAsText, createGenericFamily, genericCommand, genericHeaderBytes } from './generic.ts';
import { macText } from './ip-text.ts';
import type { EachMessage, Netlink } from './netlink.ts';
import { eachAttribute, numberAttribute } from './rtnetlink.ts';
import { parseSsid, parseWifiSecurity, type WifiSecurity } from './wifi-security.ts';

/** The wireless network an interface is connected to, or offers. */
export interface WifiLink {
  /** null: only the access point announces it, see `readJoined`. */
  ssid: string | null;
  /** MHz. */
  frequency: number | null;
  /** dBm, and Mbit/s; null also where there are several stations, each with its own. */
  signal: number | null;
  sendRate: number | null;
  receiveRate: number | null;
  /** Address of the only peer station, such as the access point. */
  peer: string | null;
}

/** What the access point announces. */
export interface JoinedNetwork {
  ssid: string | null;
  frequency: number | null;
  security: WifiSecurity;
}

export interface Nl80211 {
  /** By the numbers of the interfaces; disconnected ones are absent. Throws where the kernel refuses. */
  read(indexes: readonly number[]): Generator<void, Map<number, WifiLink>>;
  /** The last scan result of the network that this interface is connected to; null: none, or it is an access point. Sends nothing. */
  readJoined(index: number): Generator<void, JoinedNetwork | null>;
  close(): void;
}

/** include/uapi/linux/nl80211.h */
const NL80211_CMD_GET_INTERFACE = 5;
const NL80211_CMD_GET_STATION = 17;
const NL80211_CMD_GET_SCAN = 32;
const NL80211_ATTR_IFINDEX = 3;
const NL80211_ATTR_MAC = 6;
const NL80211_ATTR_STA_INFO = 21;
const NL80211_ATTR_WIPHY_FREQ = 38;
const NL80211_ATTR_BSS = 47;
const NL80211_ATTR_SSID = 52;
const NL80211_STA_INFO_SIGNAL = 7;
const NL80211_STA_INFO_TX_BITRATE = 8;
const NL80211_STA_INFO_SIGNAL_AVG = 13;
const NL80211_STA_INFO_RX_BITRATE = 14;
const NL80211_BSS_FREQUENCY = 2;
const NL80211_BSS_CAPABILITY = 5;
const NL80211_BSS_INFORMATION_ELEMENTS = 6;
const NL80211_BSS_STATUS = 9;
const NL80211_BSS_BEACON_IES = 11;
/** Authenticated is 0. */
const NL80211_BSS_STATUS_ASSOCIATED = 1;
const NL80211_RATE_INFO_BITRATE = 1;
const NL80211_RATE_INFO_BITRATE32 = 5;

export function createNl80211(netlink: Netlink): Nl80211 {
  const family = createGenericFamily(netlink, 'nl80211');
  const about = (number: number, index: number) => genericCommand(number, numberAttribute(NL80211_ATTR_IFINDEX, index));

  return {
    *read(indexes) {
      const links = new Map<number, WifiLink>();
      // The kernel module for Wi-Fi is not loaded.
      if (!(yield* family.find())) return links;
      const found: ReturnType<typeof parseWifiInterface>[] = [];
      yield* family.ask(genericCommand(NL80211_CMD_GET_INTERFACE), (bytes, at, end) => {
        const link = parseWifiInterface(bytes, at, end);
        if (indexes.includes(link.index)) found.push(link);
      });
      for (const { index, ssid, frequency } of found) {
        const stations: Station[] = [];
        const take: EachMessage = (bytes, at, end) => void stations.push(parseStation(bytes, at, end));
        yield* family.ask(about(NL80211_CMD_GET_STATION, index), take);
        const [only = noStation, ...others] = stations;
        // Kernels omit the name where wpa_supplicant made the connection, but report the peer.
        if (ssid !== null || stations.length > 0)
          links.set(index, { ssid, frequency, ...(others.length === 0 ? only : noStation) });
      }
      return links;
    },
    *readJoined(index) {
      if (!(yield* family.find())) return null;
      let joined: JoinedNetwork | null = null;
      yield* family.ask(about(NL80211_CMD_GET_SCAN, index), (bytes, at, end) => {
        joined ??= parseJoined(bytes, at, end);
      });
      return joined;
    },
    close: family.close,
  };
}

function parseWifiInterface(
  bytes: DataView,
  at: number,
  end: number,
): { index: number; ssid: string | null; frequency: number | null } {
  const link: ReturnType<typeof parseWifiInterface> = { index: 0, ssid: null, frequency: null };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type === NL80211_ATTR_IFINDEX && length >= 4) link.index = bytes.getUint32(from, true);
    else if (type === NL80211_ATTR_SSID && length > 0) link.ssid = bytesAsText(bytes, from, length);
    else if (type === NL80211_ATTR_WIPHY_FREQ && length >= 4) link.frequency = bytes.getUint32(from, true);
  });
  return link;
}

type Station = Pick<WifiLink, 'signal' | 'sendRate' | 'receiveRate' | 'peer'>;

const noStation: Station = { signal: null, sendRate: null, receiveRate: null, peer: null };

function parseStation(bytes: DataView, at: number, end: number): Station {
  const station: Station = { ...noStation };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type === NL80211_ATTR_MAC) station.peer = macText(bytes, from, length);
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

/** null: not the network we are connected to. */
function parseJoined(bytes: DataView, at: number, end: number): JoinedNetwork | null {
  let isJoined = false;
  let capability = 0;
  let frequency: number | null = null;
  let elements: Uint8Array = new Uint8Array();
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type !== NL80211_ATTR_BSS) return;
    eachAttribute(bytes, from, from + length, (kind, place, size) => {
      const value = new Uint8Array(bytes.buffer, bytes.byteOffset + place, size);
      if (kind === NL80211_BSS_STATUS && size >= 4)
        isJoined = bytes.getUint32(place, true) >= NL80211_BSS_STATUS_ASSOCIATED;
      else if (kind === NL80211_BSS_CAPABILITY && size >= 2) capability = bytes.getUint16(place, true);
      else if (kind === NL80211_BSS_FREQUENCY && size >= 4) frequency = bytes.getUint32(place, true);
      else if (kind === NL80211_BSS_INFORMATION_ELEMENTS) elements = value;
      else if (kind === NL80211_BSS_BEACON_IES && elements.length === 0) elements = value;
    });
  });
  if (!isJoined || elements.length === 0) return null;
  return { ssid: parseSsid(elements), frequency, security: parseWifiSecurity(elements, capability) };
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
