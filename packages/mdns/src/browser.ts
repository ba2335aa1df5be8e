import { addressIn, decodeMessage, nameIn, pairsIn, serviceIn } from './dns.decode.ts';
import { encodeMessage } from './dns.encode.ts';
import {
  type DnsMessage,
  type DnsName,
  type DnsQuestion,
  type DnsRecord,
  emptyMessage,
  nameKey,
  recordTypes,
  type ServiceData,
  sameName,
} from './dns.ts';
import { serviceTypes } from './records.ts';

/** A service on the network. All of it is what somebody there says. */
export interface FoundService {
  name: string;
  /** Where it answers; empty when it did not say. */
  address: string;
  /** Where it answers with TLS; empty: nowhere. */
  tls_address: string;
  version: string;
  uuid: string;
  host: string;
  /** As what it is advertised, such as _hostler._tcp. */
  types: string[];
}

/** Asks the links for services, and gathers what is answered. */
export interface Browser {
  ask(): void;
  heard(bytes: Uint8Array): void;
  found(): FoundService[];
}

/** Somebody could make them up without end. */
const mostInstances = 1000;
/** So that a question fits into a packet; the rest is asked for next time. */
const mostQuestions = 20;

interface Instance {
  type: DnsName;
  name: DnsName;
}

export function createBrowser(send: (bytes: Uint8Array) => Promise<void>): Browser {
  const instances = new Map<string, Instance>();
  const services = new Map<string, ServiceData>();
  const texts = new Map<string, Map<string, string>>();
  const addresses = new Map<string, Set<string>>();

  const takePointer = ({ name, ttl, data }: DnsRecord) => {
    const type = serviceTypes.find((known) => sameName(known, name));
    const instance = nameIn(data);
    if (type === undefined || instance === null || !sameName(instance.slice(1), type)) return;
    const key = nameKey(instance);
    if (ttl === 0) instances.delete(key);
    else if (instances.size < mostInstances) instances.set(key, { type, name: instance });
  };

  /** What belongs to the instances is looked for first: records may come in any order, but names of others fill no memory. */
  const takeDetails = (record: DnsRecord) => {
    const key = nameKey(record.name);
    const service = record.type === recordTypes.SRV ? serviceIn(record.data) : null;
    if (service !== null && instances.has(key)) services.set(key, service);
    if (record.type === recordTypes.TXT && instances.has(key)) texts.set(key, pairsIn(record.data));
  };

  const takeAddress = (record: DnsRecord) => {
    const address = addressIn(record);
    const isWanted = [...services.values()].some(({ target }) => sameName(target, record.name));
    if (address === null || !isWanted) return;
    const key = nameKey(record.name);
    addresses.set(key, new Set([...(addresses.get(key) ?? []), address].slice(-16)));
  };

  const take = ({ answers, additionals }: DnsMessage) => {
    const records = [...answers, ...additionals];
    for (const record of records) if (record.type === recordTypes.PTR) takePointer(record);
    for (const record of records) if (record.ttl > 0) takeDetails(record);
    for (const record of records) if (record.ttl > 0) takeAddress(record);
  };

  const describe = ([key, { type, name }]: [string, Instance]): FoundService => {
    const pairs = texts.get(key);
    const service = services.get(key);
    const [first] = service === undefined ? [] : (addresses.get(nameKey(service.target)) ?? []);
    const said = pairs?.get('ip') || first;
    const addressAt = (scheme: string, port: number | string | undefined) =>
      said === undefined || port === undefined ? '' : `${scheme}://${said.includes(':') ? `[${said}]` : said}:${port}`;
    const securePort = /^\d{1,5}$/.exec(pairs?.get('tls_port') ?? '')?.[0];
    const isOnlySecure = securePort !== undefined && service?.port === Number(securePort);
    return {
      name: name[0] ?? '',
      address: pairs?.get('address') || addressAt(isOnlySecure ? 'https' : 'http', service?.port),
      tls_address: addressAt('https', securePort),
      version: pairs?.get('version') ?? '',
      uuid: pairs?.get('uuid') ?? '',
      host: pairs?.get('host') || (service?.target.join('.') ?? ''),
      types: [type.slice(0, -1).join('.')],
    };
  };

  return {
    ask() {
      const open: DnsQuestion[] = [];
      for (const [key, { name }] of instances) {
        const service = services.get(key);
        if (service === undefined) open.push({ name, type: recordTypes.SRV });
        else if (!addresses.has(nameKey(service.target))) open.push({ name: service.target, type: recordTypes.A });
        if (!texts.has(key)) open.push({ name, type: recordTypes.TXT });
      }
      const types = serviceTypes.map((name) => ({ name, type: recordTypes.PTR }));
      void send(encodeMessage({ ...emptyMessage, questions: [...types, ...open.slice(0, mostQuestions)] }));
    },
    heard(bytes) {
      const message = decodeMessage(bytes);
      if (message?.isResponse) take(message);
    },
    found: () => merged([...instances].map(describe)),
  };
}

/** Advertised twice, it is one service still. Who did not say a uuid stands alone. */
function merged(services: FoundService[]): FoundService[] {
  const known = new Map<string, FoundService>();
  for (const service of services) {
    // Two on one machine have one uuid, and an address each.
    const key = service.uuid === '' ? `${service.name}\0${service.types}` : `${service.uuid}\0${service.address}`;
    const earlier = known.get(key);
    known.set(
      key,
      earlier === undefined ? service : { ...earlier, types: [...earlier.types, ...service.types].sort() },
    );
  }
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
