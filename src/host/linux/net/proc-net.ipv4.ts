export interface PlacedAddress {
  /** Of the interface. */
  name: string;
  address: string;
  prefix: number;
  broadcast: string | null;
}

/**
 * No text of the kernel lists IPv4 addresses with their interfaces: /proc/net/fib_trie has the addresses, /proc/net/route the
 * networks that are reached without a gateway. The narrowest such network that contains an address is the network of that address.
 */
export function placeIpv4(fibTrie: string, routes: string): { placed: PlacedAddress[]; unplaced: string[] } {
  const { local, broadcast } = parseFibTrie(fibTrie);
  const networks = [loopback, ...parseNetworks(routes)].sort((a, b) => b.prefix - a.prefix);
  const placed: PlacedAddress[] = [];
  const unplaced: string[] = [];
  for (const address of local) {
    const bits = toBits(address);
    const network = networks.find(({ start, prefix }) => start === (bits & mask(prefix)) >>> 0);
    if (network === undefined) {
      unplaced.push(address);
      continue;
    }
    const { name, start, prefix } = network;
    const last = toText((start | ~mask(prefix)) >>> 0);
    placed.push({ name, address, prefix, broadcast: name !== 'lo' && broadcast.has(last) ? last : null });
  }
  return { placed, unplaced };
}

interface ConnectedNetwork {
  name: string;
  start: number;
  prefix: number;
}

/** It has no entry in /proc/net/route. */
const loopback: ConnectedNetwork = { name: 'lo', start: 0x7f000000, prefix: 8 };

function parseFibTrie(text: string): { local: Set<string>; broadcast: Set<string> } {
  const local = new Set<string>();
  const broadcast = new Set<string>();
  let address = '';
  for (const line of text.split('\n')) {
    const entry = line.trim();
    if (entry.startsWith('|-- ')) address = entry.slice(4);
    else if (entry === '/32 host LOCAL') local.add(address);
    else if (entry === '/32 link BROADCAST') broadcast.add(address);
  }
  return { local, broadcast };
}

const RTF_UP = 0x1;
const RTF_GATEWAY = 0x2;

/** Iface Destination Gateway Flags RefCnt Use Metric Mask …, addresses in hex with the last byte first. */
function parseNetworks(text: string): ConnectedNetwork[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [name = '', destination = '', , flags = '', , , , maskDigits = ''] = line.trim().split(/\s+/);
      const bits = Number.parseInt(flags, 16);
      const prefix = ones(fromDigits(maskDigits));
      if ((bits & RTF_UP) === 0 || (bits & RTF_GATEWAY) !== 0 || prefix === 0) return [];
      return [{ name, start: fromDigits(destination), prefix }];
    });
}

function fromDigits(digits: string): number {
  return Number.parseInt(digits.replace(/(..)(..)(..)(..)/, '$4$3$2$1'), 16) >>> 0;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest = (rest << 1) >>> 0) count += 1;
  return count;
}

const mask = (prefix: number) => (prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0);
const toBits = (address: string) => address.split('.').reduce((bits, part) => ((bits << 8) | Number(part)) >>> 0, 0);
const toText = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
