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

/** A service instance on the network. All of it is untrusted. */
export interface BrowsedService {
  name: string;
  type: DnsName;
  /** null: not known yet. */
  host: DnsName | null;
  port: number | null;
  addresses: readonly string[];
  /** Of its TXT record. */
  pairs: ReadonlyMap<string, string>;
}

/** Queries the links for services of some types and collects the answers. */
export interface Browser {
  ask(): void;
  receive(bytes: Uint8Array): void;
  found(): BrowsedService[];
}

/** Bounds the memory that a host on the link can consume. */
const mostInstances = 1000;
/** A query has to fit into a packet; the rest is in the next one. */
const mostQuestions = 20;

interface Instance {
  type: DnsName;
  name: DnsName;
}

export function createBrowser(types: readonly DnsName[], send: (bytes: Uint8Array) => Promise<void>): Browser {
  const instances = new Map<string, Instance>();
  const services = new Map<string, ServiceData>();
  const texts = new Map<string, Map<string, string>>();
  const addresses = new Map<string, Set<string>>();

  const takePointer = ({ name, ttl, data }: DnsRecord) => {
    const type = types.find((known) => sameName(known, name));
    const instance = nameIn(data);
    if (type === undefined || instance === null || !sameName(instance.slice(1), type)) return;
    const key = nameKey(instance);
    if (ttl === 0) instances.delete(key);
    else if (instances.size < mostInstances) instances.set(key, { type, name: instance });
  };

  /** Only details of known instances are stored: records may come in any order, but unrelated names must not fill the memory. */
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

  const describe = ([key, { type, name }]: [string, Instance]): BrowsedService => {
    const { target = null, port = null } = services.get(key) ?? {};
    const found = target === null ? undefined : addresses.get(nameKey(target));
    return {
      name: name[0] ?? '',
      type,
      host: target,
      port,
      addresses: [...(found ?? [])],
      pairs: texts.get(key) ?? new Map(),
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
      const pointers = types.map((name) => ({ name, type: recordTypes.PTR }));
      void send(encodeMessage({ ...emptyMessage, questions: [...pointers, ...open.slice(0, mostQuestions)] }));
    },
    receive(bytes) {
      const message = decodeMessage(bytes);
      if (message?.isResponse) take(message);
    },
    found: () => [...instances].map(describe),
  };
}
