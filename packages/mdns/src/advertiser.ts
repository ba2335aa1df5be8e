import { decodeMessage } from './dns.decode.ts';
import { encodeMessage } from './dns.encode.ts';
import { type DnsMessage, type DnsRecord, emptyMessage, nameKey, recordKey, recordTypes, sameName } from './dns.ts';
import type { Links, MdnsPeer } from './links.ts';
import { type Advertised, type AnnouncedService, createRelevance, recordsOf, uniqueNames } from './records.ts';
import { createMdnsResponder, type MdnsResponder, sendAll } from './responses.ts';
import { losesAgainst } from './tie-break.ts';

/** Announces a service on the links and answers queries about it. RFC 6762. Never throws. */
export interface Advertiser {
  /** Replaces the previous announcement; sent after probing for the names. */
  advertise(describe: DescribeService): void;
  receive(bytes: Uint8Array, from: MdnsPeer): void;
  /** There is no link to send on. */
  pause(): void;
  /** Withdraws everything; resolves when that was sent. */
  withdraw(): Promise<void>;
}

/** `attempt` counts from 1 and grows with every name conflict: instance and host have to differ then. */
export type DescribeService = (attempt: number) => AnnouncedService;

export interface AdvertiserEvents {
  /** The service is announced under this name, which it did not have before. */
  established(instance: string): void;
  /** Too many conflicts: silent for this time, or until the next `advertise`. */
  exhausted(pauseMs: number): void;
}

/** RFC 6762, 8.1: three probes. */
const probes = 3;
const probeMs = 250;
const deferMs = 1000;
const announceAgainMs = 1000;
/** A host that disputes more names than this is faulty or hostile. */
const manyConflicts = 10;
const mostConflicts = 50;
const calmMs = 5000;
/** Each pause is twice as long as the previous one. */
const firstPauseMs = 10 * 60_000;
const longestPauseMs = 60 * 60_000;
const mostRemembered = 500;
const mostLastSent = 4;

export function createAdvertiser(given: Links, events: AdvertiserEvents): Advertiser {
  const { after, random } = given;
  /** Multicast loops them back; they need not be parsed. */
  const lastSent: Uint8Array[] = [];
  const send: Links['send'] = (bytes) => {
    lastSent.unshift(bytes);
    lastSent.splice(mostLastSent);
    return given.send(bytes);
  };
  const links = { ...given, send };
  let describe: DescribeService | null = null;
  let state: 'silent' | 'probing' | 'established' = 'silent';
  let attempt = 1;
  let conflicts = 0;
  let pauseMs = firstPauseMs;
  let current: { advertised: Advertised; responder: MdnsResponder; isRelevant: (bytes: Uint8Array) => boolean } | null =
    null;
  /** Records that peers may have cached. */
  let announced: Advertised | null = null;
  let announcedName = '';
  let cancel = () => {};
  /** Our own packets are looped back, also those from before a change. */
  const ours = new Set<string>();

  const silence = () => {
    cancel();
    current?.responder.stop();
    state = 'silent';
  };

  const start = (delayMs: number) => {
    silence();
    if (describe === null) return;
    const advertised = recordsOf(describe(attempt));
    current = {
      advertised,
      responder: createMdnsResponder(advertised, links),
      isRelevant: createRelevance(advertised),
    };
    if (ours.size > mostRemembered) ours.clear();
    for (const record of advertised.unique) ours.add(recordKey(record));
    state = 'probing';
    cancel = after(delayMs, () => probe(advertised));
  };

  const probe = (advertised: Advertised) => {
    const questions = uniqueNames(advertised).map((name) => ({ name, type: recordTypes.ANY }));
    const bytes = encodeMessage({ ...emptyMessage, questions, authorities: advertised.unique });
    const ask = (left: number) => {
      if (left === 0) return announce(advertised);
      void send(bytes);
      cancel = after(probeMs, () => ask(left - 1));
    };
    ask(probes);
  };

  const announce = (advertised: Advertised) => {
    const { instance, shared, unique } = advertised;
    state = 'established';
    announced = advertised;
    if (announcedName !== instance) events.established(instance);
    announcedName = instance;
    const all = [...shared, ...unique];
    void current?.responder.announce(all);
    cancel = after(announceAgainMs, () => void current?.responder.announce(all));
  };

  const startAfterConflict = () => {
    conflicts += 1;
    if (conflicts <= mostConflicts) return start(conflicts > manyConflicts ? calmMs : random() * probeMs);
    silence();
    events.exhausted(pauseMs);
    announcedName = '';
    cancel = after(pauseMs, () => {
      attempt = 1;
      conflicts = manyConflicts;
      start(0);
    });
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  };

  const takeResponse = (response: DnsMessage, { unique }: Advertised) => {
    if (!disputes(response, unique, ours)) return;
    // An established host probes again; a probing host that finds its name taken chooses another.
    if (state === 'probing') {
      attempt += 1;
      announced = null;
    }
    startAfterConflict();
  };

  const takeQuery = (query: DnsMessage, from: MdnsPeer, advertised: Advertised) => {
    if (state === 'established') return current?.responder.take(query, from);
    if (!losesAgainst(advertised.unique, query.authorities, ours)) return;
    cancel();
    cancel = after(deferMs, () => probe(advertised));
  };

  return {
    advertise(next) {
      if (state === 'silent') attempt = 1;
      conflicts = 0;
      pauseMs = firstPauseMs;
      describe = next;
      if (announced !== null) void sendAll(withoutSuccessor(announced, recordsOf(next(attempt))).map(ended), [], send);
      start(random() * probeMs);
    },
    receive(bytes, from) {
      if (state === 'silent' || current === null) return;
      if (lastSent.some((own) => Buffer.compare(own, bytes) === 0) || !current.isRelevant(bytes)) return;
      const message = decodeMessage(bytes);
      if (message === null) return;
      if (message.isResponse) takeResponse(message, current.advertised);
      else takeQuery(message, from, current.advertised);
    },
    pause: silence,
    async withdraw() {
      const before = announced;
      silence();
      describe = null;
      announced = null;
      if (before !== null) await sendAll(personal(before).map(ended), [], send);
    },
  };
}

/** Whether another host claims a record that must be unique. */
const disputes = ({ answers, additionals }: DnsMessage, unique: readonly DnsRecord[], ours: ReadonlySet<string>) =>
  [...answers, ...additionals].some(
    (record) =>
      record.ttl > 0 &&
      unique.some(({ name, type }) => type === record.type && sameName(name, record.name)) &&
      !ours.has(recordKey(record)),
  );

const ended = (record: DnsRecord): DnsRecord => ({ ...record, ttl: 0 });

/** The record of the service type is shared with other hosts and not withdrawn. */
const personal = ({ shared, unique }: Advertised) => [...shared.filter(({ name }) => name[1] !== '_dns-sd'), ...unique];

/** Records that end and are not replaced by the next announcement. */
function withoutSuccessor(before: Advertised, after: Advertised): DnsRecord[] {
  const keys = new Set([...after.shared, ...after.unique].map(recordKey));
  const replaced = new Set(after.unique.map(({ name, type }) => `${nameKey(name)}\0${type}`));
  return personal(before).filter(
    (record) =>
      !keys.has(recordKey(record)) && !(record.unique && replaced.has(`${nameKey(record.name)}\0${record.type}`)),
  );
}
