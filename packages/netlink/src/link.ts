/** A network interface. */
export interface NetlinkLink {
  index: number;
  name: string;
  /** IFF_… of net/if.h. null: unknown, as is everything that only /sys provides. */
  flags: number | null;
  mtu: number | null;
  mac: string | null;
  macBroadcast: string | null;
  /** Its driver type, in the kernel's terms: wireguard, bridge, veth, tun, tap … null: hardware, or it is not known. */
  kind: string | null;
  /** Differs after every change of the carrier, the operational and the administrative state. */
  state: string;
  counters: LinkCounters | null;
}

/** Since the interface was created. */
export interface LinkCounters {
  bytesReceived: number;
  packetsReceived: number;
  errorsIn: number;
  dropsIn: number;
  bytesSent: number;
  packetsSent: number;
  errorsOut: number;
  dropsOut: number;
}

export interface LinkAddress {
  /** Of the interface. */
  index: number;
  family: 4 | 6;
  /** Without the interface, also where it is only valid on that one. */
  address: string;
  prefix: number;
  broadcast: string | null;
  /** Peer address of a point-to-point connection. */
  peer: string | null;
  isLinkLocal: boolean;
}

export interface LinkTable {
  links: NetlinkLink[];
  addresses: LinkAddress[];
  /** Addresses of an unknown interface. */
  unplaced: string[];
}

export const IFF_UP = 0x1;
export const IFF_BROADCAST = 0x2;
export const IFF_LOOPBACK = 0x8;
export const IFF_RUNNING = 0x40;
