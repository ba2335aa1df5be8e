import { isIP } from 'node:net';
import type { BrowsedService } from '@hostler/mdns/browser.ts';

/** A Hostler service on the network. Every field is a claim of that machine. */
export interface FoundService {
  name: string;
  /** Its address; empty: not announced. */
  address: string;
  /** Its address with TLS; empty: not announced. */
  tls_address: string;
  version: string;
  uuid: string;
  host: string;
  /** The types it is announced as, such as _hostler._tcp. */
  types: string[];
}

/** One entry per service, also for those announced under both types, sorted by name. */
export function toFoundServices(browsed: readonly BrowsedService[]): FoundService[] {
  const known = new Map<string, FoundService>();
  for (const service of browsed.map(toFoundService)) {
    // Two services of one machine share the UUID and differ in the address; without a UUID nothing is merged.
    const key = service.uuid === '' ? `${service.name}\0${service.types}` : `${service.uuid}\0${service.address}`;
    const earlier = known.get(key);
    known.set(
      key,
      earlier === undefined ? service : { ...earlier, types: [...earlier.types, ...service.types].sort() },
    );
  }
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function toFoundService({ name, type, host, port, addresses, pairs }: BrowsedService): FoundService {
  const ip = [pairs.get('ip') ?? '', ...addresses].find((address) => isIP(address) !== 0);
  const addressAt = (scheme: string, at: number | string | null | undefined) =>
    ip === undefined || at === null || at === undefined ? '' : `${scheme}://${ip.includes(':') ? `[${ip}]` : ip}:${at}`;
  const securePort = /^\d{1,5}$/.exec(pairs.get('tls_port') ?? '')?.[0];
  const isOnlySecure = securePort !== undefined && port === Number(securePort);
  return {
    name,
    address: originIn(pairs.get('address') ?? '') || addressAt(isOnlySecure ? 'https' : 'http', port),
    tls_address: addressAt('https', securePort),
    version: pairs.get('version') ?? '',
    uuid: pairs.get('uuid') ?? '',
    host: pairs.get('host') || (host?.join('.') ?? ''),
    types: [type.slice(0, -1).join('.')],
  };
}

function originIn(address: string): string {
  const { protocol, origin } = URL.parse(address) ?? {};
  return (protocol === 'http:' || protocol === 'https:') && origin !== undefined ? origin : '';
}
