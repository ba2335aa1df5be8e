import { shortened } from '@hostler/mdns/dns.encode.ts';
import type { DnsName } from '@hostler/mdns/dns.ts';
import type { AnnouncedService } from '@hostler/mdns/records.ts';
import type { AdvertisedFacts } from '../../core/advertising.ts';

export interface AnnouncedIdentity extends Omit<AdvertisedFacts, 'through'> {
  version: string;
  /** Without TLS; null: not served. */
  plainPort: number | null;
  /** With TLS; null: not served. */
  securePort: number | null;
  quiet: boolean;
}

/** Our own type, and the one that existing clients search for. */
export const serviceTypes: readonly DnsName[] = [
  ['_hostler', '_tcp', 'local'],
  ['_system-bridge', '_tcp', 'local'],
];

/** `attempt` distinguishes machines of one name, and services of one machine. */
export function announcementOf(identity: AnnouncedIdentity, attempt: number): AnnouncedService {
  const { hostname, plainPort, securePort, quiet } = identity;
  const machine = (quiet ? '' : hostname.split('.')[0]) || 'hostler';
  // Not the plain hostname: that belongs to the system's own responder, possibly with other addresses.
  const hostLabel = `${quiet ? '' : `${shortened(machine, 48)}-`}hostler${attempt === 1 ? '' : `-${attempt}`}`;
  return {
    instance: attempt === 1 ? shortened(machine, 63) : `${shortened(machine, 55)} (${attempt})`,
    // Clients of the second type require a UUID and do not support TLS.
    types: quiet || plainPort === null ? serviceTypes.slice(0, 1) : serviceTypes,
    host: [hostLabel, 'local'],
    port: plainPort ?? securePort ?? 0,
    // An IPv6 address may contain the MAC address.
    addresses: quiet ? [identity.ip] : identity.addresses,
    pairs: {
      ...(quiet ? {} : pairsOf(identity)),
      ...(securePort === null ? {} : { tls_port: String(securePort) }),
    },
  };
}

function pairsOf(identity: AnnouncedIdentity): Record<string, string> {
  const { ip, plainPort, securePort, uuid, hostname, fqdn, mac, version } = identity;
  const port = plainPort ?? securePort ?? 0;
  const address = `${plainPort === null ? 'https' : 'http'}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
  return { ip, port: String(port), uuid, host: hostname, fqdn, mac, address, version };
}
