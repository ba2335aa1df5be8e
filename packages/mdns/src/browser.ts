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
const mostAddresses = 16;
/** A query has to fit into a packet; the rest is in the next one. */
const mostQuestions = 20;

interface Instance {
  type: DnsName;
  name: DnsName;
  service: (ServiceData & { key: string }) | null;
  pairs: Map<string, string> | null;
}

export function createBrowser(types: readonly DnsName[], send: (bytes: Uint8Array) => Promise<void>): Browser {
  const instances = new Map<string, Instance>();
  /** By the key of the target of a service. */
  const addresses = new Map<string, Set<string>>();

  const takePointer = ({ name, ttl, data }: DnsRecord) => {
    const type = types.find((known) => sameName(known, name));
    const instance = nameIn(data);
    if (type === undefined || instance === null || !sameName(instance.slice(1), type)) return;
    const key = nameKey(instance);
    if (ttl === 0) instances.delete(key);
    else if (instances.size < mostInstances && !instances.has(key))
      instances.set(key, { type, name: instance, service: null, pairs: null });
  };

  /** Only details of known instances are stored: records may come in any order, but unrelated names must not fill the memory. */
  const takeDetails = (record: DnsRecord) => {
    const instance = instances.get(nameKey(record.name));
    if (instance === undefined) return;
    if (record.type === recordTypes.TXT) instance.pairs = pairsIn(record.data);
    const service = record.type === recordTypes.SRV ? serviceIn(record.data) : null;
    if (service === null) return;
    const key = nameKey(service.target);
    instance.service = { ...service, key };
    if (addresses.size < mostInstances && !addresses.has(key)) addresses.set(key, new Set());
  };

  const takeAddress = (record: DnsRecord) => {
    const found = addresses.get(nameKey(record.name));
    const address = found === undefined || found.size >= mostAddresses ? null : addressIn(record);
    if (address !== null) found?.add(address);
  };

  const take = ({ answers, additionals }: DnsMessage) => {
    const records = [...answers, ...additionals];
    for (const record of records) if (record.type === recordTypes.PTR) takePointer(record);
    for (const record of records) if (record.ttl > 0) takeDetails(record);
    for (const record of records) if (record.ttl > 0) takeAddress(record);
  };

  const describe = ({ type, name, service, pairs }: Instance): BrowsedService => ({
    name: name[0] ?? '',
    type,
    host: service?.target ?? null,
    port: service?.port ?? null,
    addresses: [...(addresses.get(service?.key ?? '') ?? [])],
    pairs: pairs ?? new Map(),
  });

  return {
    ask() {
      const open: DnsQuestion[] = [];
      for (const { name, service, pairs } of instances.values()) {
        if (service === null) open.push({ name, type: recordTypes.SRV });
        else if (addresses.get(service.key)?.size === 0) open.push({ name: service.target, type: recordTypes.A });
        if (pairs === null) open.push({ name, type: recordTypes.TXT });
      }
      const pointers = types.map((name) => ({ name, type: recordTypes.PTR }));
      void send(encodeMessage({ ...emptyMessage, questions: [...pointers, ...open.slice(0, mostQuestions)] }));
    },
    receive(bytes) {
      const message = decodeMessage(bytes);
      if (message?.isResponse) take(message);
    },
    found: () => [...instances.values()].map(describe),
  };
}
