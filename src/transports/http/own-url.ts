import type { Door } from '../../core/route-table.ts';

/** How this machine itself reaches what listens on an address, without anything behind the port. */
export function ownUrl(address: string, port: number, isSecure = false): string {
  const name = isEverywhere(address) ? '127.0.0.1' : address;
  return `${isSecure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Addresses of this machine by which others may reach what listens on all of them, the likeliest first. */
export function reachableAddresses(all: readonly OwnAddress[]): string[] {
  const own = all.filter(
    ({ internal, family, address }) => !internal && family === 4 && !address.startsWith('169.254.'),
  );
  // Those of containers and virtual machines lead no further than this machine.
  const [inner, outer] = [own.filter(isInner), own.filter((entry) => !isInner(entry))];
  return [...outer, ...inner].map(({ address }) => address);
}

type OwnAddress = { interface: string; address: string; family: 4 | 6; internal: boolean };

const isInner = (entry: OwnAddress) =>
  /^(?:docker|podman|cni|br-|veth|virbr|vnet|lxc|lxd|vmnet|vEthernet)/i.test(entry.interface);

/** Without TLS where that is open: no certificate has to be trusted for it on the machine itself. */
export function ownUrlOf({ address, plain, securePort }: Door): string {
  if (plain === null) return ownUrl(address, securePort() ?? 0, true);
  return ownUrl(plain.isLocalOnly ? '' : address, plain.port);
}

export const isEverywhere = (address: string) => address === '' || address === '::' || address === '0.0.0.0';
