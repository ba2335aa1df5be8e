import os from 'node:os';

export interface InterfaceAddress {
  interface: string;
  family: 4 | 6;
  address: string;
  mac: string;
  internal: boolean;
  /** Link-local addresses carry the interface number. */
  scopeId: number | null;
}

export interface Network {
  addresses(): InterfaceAddress[];
}

export function createNetwork(): Network {
  return {
    addresses: () =>
      Object.entries(os.networkInterfaces()).flatMap(([name, entries]) =>
        (entries ?? []).map((entry) => ({
          interface: name,
          family: entry.family === 'IPv6' ? 6 : 4,
          address: entry.address,
          mac: entry.mac,
          internal: entry.internal,
          scopeId: entry.family === 'IPv6' ? entry.scopeid : null,
        })),
      ),
  };
}
