import os from 'node:os';

export interface InterfaceAddress {
  interface: string;
  family: 4 | 6;
  address: string;
  mac: string;
  internal: boolean;
  /** Left out: unknown. */
  netmask?: string;
  /** Link-local addresses carry the interface number. */
  scopeId: number | null;
}

export interface Network {
  addresses(): InterfaceAddress[];
  /** Search domains of this network. */
  searchDomains(): string[];
}

export function createNetwork(searchDomains: () => string[] = () => []): Network {
  return {
    searchDomains,
    addresses: () =>
      Object.entries(os.networkInterfaces()).flatMap(([name, entries]) =>
        (entries ?? []).map((entry) => ({
          interface: name,
          family: entry.family === 'IPv6' ? 6 : 4,
          address: entry.address,
          mac: entry.mac,
          netmask: entry.netmask,
          internal: entry.internal,
          scopeId: entry.family === 'IPv6' ? entry.scopeid : null,
        })),
      ),
  };
}

/** One IPv4 address of each interface with a link of its own. Tunnels have none: their other end is another network. */
export function linkAddresses(addresses: readonly InterfaceAddress[]): string[] {
  const first = new Map<string, string>();
  for (const entry of addresses) {
    if (isOnLink(entry) && entry.family === 4 && !first.has(entry.interface)) first.set(entry.interface, entry.address);
  }
  return [...first.values()];
}

export const isOnLink = ({ internal, mac }: InterfaceAddress) => !internal && mac !== '' && mac !== '00:00:00:00:00:00';
