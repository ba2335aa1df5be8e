import type { Door } from '../../core/entrance.ts';

/** How this machine itself reaches what listens on an address, without anything behind the port. */
export function ownUrl(address: string, port: number, isSecure = false): string {
  const name = isEverywhere(address) ? '127.0.0.1' : address;
  return `${isSecure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Without TLS where that is open: no certificate has to be trusted for it on the machine itself. */
export function ownUrlOf({ address, plain, securePort }: Door): string {
  if (plain === null) return ownUrl(address, securePort() ?? 0, true);
  return ownUrl(plain.isLocalOnly ? '' : address, plain.port);
}

const isEverywhere = (address: string) => address === '' || address === '::' || address === '0.0.0.0';
