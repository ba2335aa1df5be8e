import { addressRecord, pairsData, pointerData, serviceData, shortened } from './dns.encode.ts';
import { type DnsName, type DnsRecord, nameKey, recordTypes } from './dns.ts';

/** What this machine says about itself to everybody on the link: never a secret. */
export interface AnnouncedIdentity {
  hostname: string;
  fqdn: string;
  uuid: string;
  mac: string;
  version: string;
  /** Without TLS; null: it is not reached without. */
  plainPort: number | null;
  /** With TLS; null: there is none. */
  securePort: number | null;
  /** Where it is reached; an IPv4 address if there is one. */
  ip: string;
  /** All addresses to be reached by. */
  addresses: readonly string[];
  /** Says no more than where the service is. */
  quiet: boolean;
}

/** Our own, and the one that clients know already. */
export const serviceTypes: readonly DnsName[] = [
  ['_hostler', '_tcp', 'local'],
  ['_system-bridge', '_tcp', 'local'],
];

const allTypes: DnsName = ['_services', '_dns-sd', '_udp', 'local'];

/** RFC 6762, 10: what holds an address is good for two minutes, the rest for longer. */
export const addressTtl = 120;
export const otherTtl = 4500;

export interface Advertised {
  /** Shown to people. */
  instance: string;
  hostLabel: string;
  /** Where these say something else, somebody else has the name. */
  unique: DnsRecord[];
  /** Others say the like. */
  shared: DnsRecord[];
}

/** `number` tells machines of one name apart, and services of one machine: 1 is the first. */
export function recordsOf(identity: AnnouncedIdentity, number: number): Advertised {
  const { hostname, plainPort, securePort, quiet } = identity;
  const port = plainPort ?? securePort ?? 0;
  // The one to be reached by: an address of IPv6 may hold the MAC address.
  const addresses = quiet ? [identity.ip] : identity.addresses;
  const machine = (quiet ? '' : hostname.split('.')[0]) || 'hostler';
  const instance = number === 1 ? shortened(machine, 63) : `${shortened(machine, 55)} (${number})`;
  // Not the plain hostname: that belongs to whoever resolves this machine's names here, with other addresses perhaps.
  const hostLabel = `${quiet ? '' : `${shortened(machine, 48)}-`}hostler${number === 1 ? '' : `-${number}`}`;
  const host: DnsName = [hostLabel, 'local'];
  const pairs = pairsData({
    ...(quiet ? {} : pairsOf(identity)),
    ...(securePort === null ? {} : { tls_port: String(securePort) }),
  });
  // The clients of the other type want to be told a UUID; without one they would find something that they cannot use.
  // And none of them speaks TLS.
  const services = (quiet || plainPort === null ? serviceTypes.slice(0, 1) : serviceTypes).map((type) => ({
    type,
    name: [instance, ...type],
  }));
  return {
    instance,
    hostLabel,
    unique: [
      ...services.flatMap(({ name }) => [
        { name, type: recordTypes.SRV, unique: true, ttl: addressTtl, data: serviceData(port, host) },
        { name, type: recordTypes.TXT, unique: true, ttl: otherTtl, data: pairs },
      ]),
      ...addresses.map((address) => addressRecord(host, address, addressTtl)).filter((record) => record !== null),
    ],
    shared: services.flatMap(({ type, name }) => [
      { name: type, type: recordTypes.PTR, unique: false, ttl: otherTtl, data: pointerData(name) },
      { name: allTypes, type: recordTypes.PTR, unique: false, ttl: otherTtl, data: pointerData(type) },
    ]),
  };
}

function pairsOf(identity: AnnouncedIdentity): Record<string, string> {
  const { ip, plainPort, securePort, uuid, hostname, fqdn, mac, version } = identity;
  const port = plainPort ?? securePort ?? 0;
  const address = `${plainPort === null ? 'https' : 'http'}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
  return { ip, port: String(port), uuid, host: hostname, fqdn, mac, address, version };
}

/** Whether a packet could be about us at all; most on a link are not, and reading them is not free. */
export function createRelevance(hostLabel: string): (bytes: Uint8Array) => boolean {
  const labels = [...serviceTypes.map(([label = '']) => label), '_dns-sd', hostLabel].map((label) =>
    Buffer.from(label.toLowerCase()).toString('latin1'),
  );
  return (bytes) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').toLowerCase();
    return labels.some((label) => text.includes(label));
  };
}

export const uniqueNames = ({ unique }: Advertised) => [
  ...new Map(unique.map(({ name }) => [nameKey(name), name])).values(),
];
