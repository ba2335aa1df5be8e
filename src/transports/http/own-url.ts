import type { HttpListener } from '../../core/route-table.ts';

/** The address at which this machine reaches a listener, without a path. */
export function ownUrl(address: string, port: number, isSecure = false): string {
  const name = isEverywhere(address) ? '127.0.0.1' : address;
  return `${isSecure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Addresses at which other machines may reach a listener on all addresses, the likeliest first. */
export function reachableAddresses(all: readonly OwnAddress[]): string[] {
  const own = all.filter(
    ({ internal, family, address }) => !internal && family === 4 && !address.startsWith('169.254.'),
  );
  // Addresses of containers and virtual machines are local to this machine.
  const [inner, outer] = [own.filter(isInner), own.filter((entry) => !isInner(entry))];
  return [...outer, ...inner].map(({ address }) => address);
}

type OwnAddress = { interface: string; address: string; family: 4 | 6; internal: boolean };

const isInner = (entry: OwnAddress) =>
  /^(?:docker|podman|cni|br-|veth|virbr|vnet|lxc|lxd|vmnet|vEthernet)/i.test(entry.interface);

/** Without TLS if that port is open: no certificate has to be trusted on the machine itself. */
export function ownUrlOf({ address, plain, securePort }: HttpListener): string {
  if (plain === null) return ownUrl(address, securePort() ?? 0, true);
  return ownUrl(plain.isLocalOnly ? '' : address, plain.port);
}

export const isEverywhere = (address: string) => address === '' || address === '::' || address === '0.0.0.0';
