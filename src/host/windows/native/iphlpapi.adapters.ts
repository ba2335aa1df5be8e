import { ipv4Text, ipv6Text, macText } from '@hostler/netlink/ip-text.ts';
import { IP_ADAPTER_ADDRESSES, IP_ADAPTER_GATEWAY_ADDRESS_LH, IP_ADAPTER_UNICAST_ADDRESS } from './iphlpapi.structs.ts';
import { offsetIn, readStruct, type Struct, type StructBlock, type StructValues, wideText } from './structs.ts';

export interface Adapter {
  index: number;
  name: string;
  mac: string | null;
  mtu: number | null;
  /** Bits a second; null: unknown. */
  speed: number | null;
  /** As IANA numbers them: 6 Ethernet, 24 loopback, 71 wireless, 131 tunnel, 23 PPP. */
  type: number;
  isUp: boolean;
  canMulticast: boolean;
  addresses: AdapterAddress[];
  /** Families of which it has a gateway. */
  gateways: ReadonlySet<4 | 6>;
  metric: Record<4 | 6, number>;
}

export interface AdapterAddress {
  family: 4 | 6;
  address: string;
  prefix: number;
}

export const loopbackType = 24;

/** The chain that GetAdaptersAddresses fills. */
export function parseAdapters(block: StructBlock): Adapter[] {
  return chain(block, block.at, IP_ADAPTER_ADDRESSES).map((entry) => {
    const { PhysicalAddress, PhysicalAddressLength, TransmitLinkSpeed } = entry;
    const mac = new DataView(PhysicalAddress.buffer, PhysicalAddress.byteOffset, PhysicalAddress.length);
    const unicast = chain(block, entry.FirstUnicastAddress, IP_ADAPTER_UNICAST_ADDRESS);
    const gateways = chain(block, entry.FirstGatewayAddress, IP_ADAPTER_GATEWAY_ADDRESS_LH);
    return {
      index: entry.IfIndex || entry.Ipv6IfIndex,
      name: textAt(block, entry.FriendlyName),
      mac: macText(mac, 0, Math.min(8, PhysicalAddressLength)),
      // 0xffffffff: no limit, as of the loopback.
      mtu: entry.Mtu === 0xffffffff ? null : entry.Mtu,
      speed: TransmitLinkSpeed === 0 || TransmitLinkSpeed > 1e15 ? null : TransmitLinkSpeed,
      type: entry.IfType,
      isUp: entry.OperStatus === 1,
      canMulticast: (entry.Flags & 0x10) === 0,
      addresses: unicast.flatMap((one) => {
        const found = socketAddress(block, one['Address.lpSockaddr']);
        return found === null ? [] : [{ ...found, prefix: one.OnLinkPrefixLength }];
      }),
      gateways: new Set(gateways.flatMap((one) => socketAddress(block, one['Address.lpSockaddr'])?.family ?? [])),
      metric: { 4: entry.Ipv4Metric, 6: entry.Ipv6Metric },
    };
  });
}

type Chained = Struct<{ Next: readonly [number, 'pointer'] }>;

function chain<S extends Chained>(block: StructBlock, first: number, struct: S): StructValues<S>[] {
  const found: StructValues<S>[] = [];
  // No chain is longer than the memory it is in.
  const most = block.bytes.length / struct.size;
  for (let at = offsetIn(block, first); at !== null && found.length < most; ) {
    const entry = readStruct(struct, block.bytes, at);
    found.push(entry);
    at = offsetIn(block, Number(entry.Next));
  }
  return found;
}

function textAt(block: StructBlock, pointer: number): string {
  const at = offsetIn(block, pointer);
  return at === null ? '' : wideText(block.bytes, at);
}

const { AF_INET, AF_INET6 } = { AF_INET: 2, AF_INET6: 23 };

function socketAddress(block: StructBlock, pointer: number): Omit<AdapterAddress, 'prefix'> | null {
  const at = offsetIn(block, pointer);
  if (at === null) return null;
  const view = new DataView(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length);
  const family = view.getUint16(at, true);
  if (family === AF_INET) return { family: 4, address: ipv4Text(view, at + 4) };
  return family === AF_INET6 ? { family: 6, address: ipv6Text(view, at + 8) } : null;
}
