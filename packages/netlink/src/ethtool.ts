import { createGenericFamily, genericCommand, genericHeaderBytes } from './generic.ts';
import type { Netlink } from './netlink.ts';
import { eachAttribute } from './rtnetlink.ts';

/** Which packets wake a machine through a network card. */
export const wakeModes = [
  'phy',
  'unicast',
  'multicast',
  'broadcast',
  'arp',
  'magic',
  'magic_secure',
  'filter',
] as const;
export type WakeMode = (typeof wakeModes)[number];

export interface WakeSettings {
  supported: WakeMode[];
  active: WakeMode[];
}

export interface Ethtool {
  /** By the numbers of the interfaces; cards without Wake-on-LAN are absent. Throws NetlinkError where the kernel refuses. */
  readWake(): Generator<void, Map<number, WakeSettings>>;
  close(): void;
}

/** https://docs.kernel.org/networking/ethtool-netlink.html#wol-get */
const ETHTOOL_MSG_WOL_GET = 9;
const ETHTOOL_A_WOL_HEADER = 1;
/** Followed by the password of "magic_secure", which is never read. */
const ETHTOOL_A_WOL_MODES = 2;
const ETHTOOL_A_HEADER_DEV_INDEX = 1;
const ETHTOOL_A_BITSET_VALUE = 4;
const ETHTOOL_A_BITSET_MASK = 5;

/** A header with ETHTOOL_FLAG_COMPACT_BITSETS: sets of bits come as bits, without the names of each. */
const wakeRequest = genericCommand(ETHTOOL_MSG_WOL_GET, [12, 0, ETHTOOL_A_WOL_HEADER, 0x80, 8, 0, 3, 0, 1, 0, 0, 0]);

export function createEthtool(netlink: Netlink): Ethtool {
  const family = createGenericFamily(netlink, 'ethtool');
  return {
    *readWake() {
      const found = new Map<number, WakeSettings>();
      if (!(yield* family.find())) return found;
      yield* family.ask(wakeRequest, (bytes, at, end) => {
        const { index, ...settings } = parseWake(bytes, at, end);
        if (index !== 0) found.set(index, settings);
      });
      return found;
    },
    close: family.close,
  };
}

export function parseWake(bytes: DataView, at: number, end: number): WakeSettings & { index: number } {
  const wake: ReturnType<typeof parseWake> = { index: 0, supported: [], active: [] };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type !== ETHTOOL_A_WOL_HEADER && type !== ETHTOOL_A_WOL_MODES) return;
    eachAttribute(bytes, from, from + length, (kind, place, size) => {
      if (size < 4) return;
      const value = bytes.getUint32(place, true);
      if (type === ETHTOOL_A_WOL_HEADER) {
        if (kind === ETHTOOL_A_HEADER_DEV_INDEX) wake.index = value;
      } else if (kind === ETHTOOL_A_BITSET_VALUE) wake.active = modesOf(value);
      else if (kind === ETHTOOL_A_BITSET_MASK) wake.supported = modesOf(value);
    });
  });
  return wake;
}

const modesOf = (bits: number) => wakeModes.filter((_mode, bit) => (bits & (1 << bit)) !== 0);
