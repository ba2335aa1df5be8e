import { addressRecord, pairsData, pointerData, serviceData } from './dns.encode.ts';
import { type DnsName, type DnsRecord, nameKey, recordTypes } from './dns.ts';

/** One instance that is announced under one or more service types, on one host name. */
export interface AnnouncedService {
  /** Shown to people; one label. */
  instance: string;
  /** Such as ['_http', '_tcp', 'local']. */
  types: readonly DnsName[];
  host: DnsName;
  port: number;
  /** The addresses of `host`. */
  addresses: readonly string[];
  /** Of the TXT record. */
  pairs: Record<string, string>;
}

export interface Advertised {
  instance: string;
  /** A record with the same name and type and other data is a conflict. */
  unique: DnsRecord[];
  /** Other machines may announce the same names. */
  shared: DnsRecord[];
}

/** RFC 6762, 10: two minutes for records that hold an address or a host name, 75 minutes for others. */
export const addressTtl = 120;
export const otherTtl = 4500;

/** RFC 6763, 9: lists the types of service on the link. */
const allTypes: DnsName = ['_services', '_dns-sd', '_udp', 'local'];

export function recordsOf({ instance, types, host, port, addresses, pairs }: AnnouncedService): Advertised {
  const services = types.map((type) => ({ type, name: [instance, ...type] }));
  return {
    instance,
    unique: [
      ...services.flatMap(({ name }) => [
        { name, type: recordTypes.SRV, unique: true, ttl: addressTtl, data: serviceData(port, host) },
        { name, type: recordTypes.TXT, unique: true, ttl: otherTtl, data: pairsData(pairs) },
      ]),
      ...addresses.map((address) => addressRecord(host, address, addressTtl)).filter((record) => record !== null),
    ],
    shared: services.flatMap(({ type, name }) => [
      { name: type, type: recordTypes.PTR, unique: false, ttl: otherTtl, data: pointerData(name) },
      { name: allTypes, type: recordTypes.PTR, unique: false, ttl: otherTtl, data: pointerData(type) },
    ]),
  };
}

/** Whether a packet can concern these records: a cheap test, because most packets on a link do not. */
export function createRelevance({ shared, unique }: Advertised): (bytes: Uint8Array) => boolean {
  // Names of instances end in the name of a shared record, so that one of these labels is in every packet about them.
  const hosts = unique.filter(({ type }) => type === recordTypes.A || type === recordTypes.AAAA);
  const labels = new Set([...shared, ...hosts].map(({ name: [label = ''] }) => latin1(Buffer.from(label))));
  return (bytes) => {
    const text = latin1(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return [...labels].some((label) => text.includes(label));
  };
}

const latin1 = (bytes: Buffer) => bytes.toString('latin1').toLowerCase();

export const uniqueNames = ({ unique }: Advertised) => [
  ...new Map(unique.map(({ name }) => [nameKey(name), name])).values(),
];
