import { encodeMessage } from './dns.encode.ts';
import {
  type DnsMessage,
  type DnsQuestion,
  type DnsRecord,
  emptyMessage,
  recordKey,
  recordTypes,
  sameName,
} from './dns.ts';
import type { Links, MdnsPeer } from './links.ts';
import { type Advertised, addressTtl, otherTtl } from './records.ts';

/** Answers queries about what is advertised. */
export interface MdnsResponder {
  take(query: DnsMessage, from: MdnsPeer): void;
  /** Unsolicited. */
  announce(records: readonly DnsRecord[]): Promise<unknown>;
  stop(): void;
}

export const mdnsPort = 5353;

/** RFC 6762, 6: one answer serves all queries of that moment. */
const gatherMs = 20;
const spreadMs = 100;
/** Minimum time between two multicasts of a record, however many queries arrive. */
const apartMs = 1000;
/** Shorter for probes, which must be answered at once. */
const defendApartMs = 250;
/** Limits unicast answers to simple resolvers. */
const aloneApartMs = 20;
/** Questions that such an answer repeats; a simple resolver asks one. With all of them it could become too long. */
const mostRepeated = 8;

export function createMdnsResponder(
  advertised: Advertised,
  { send, reply, after, monotonic, random }: Links,
): MdnsResponder {
  const due = new Set<DnsRecord>();
  const sentAt = new Map<DnsRecord, number>();
  let aloneAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;

  const rested = (record: DnsRecord, ms: number) =>
    monotonic() - (sentAt.get(record) ?? Number.NEGATIVE_INFINITY) >= ms;

  const respond = (answers: readonly DnsRecord[], additionals: readonly DnsRecord[] = []) => {
    for (const record of [...answers, ...additionals]) sentAt.set(record, monotonic());
    return sendAll(answers, additionals, send);
  };

  const answerDue = () => {
    cancel = null;
    const answers = [...due].filter((record) => rested(record, apartMs));
    due.clear();
    if (answers.length > 0) void respond(answers, additionalTo(answers, advertised));
  };

  /** A query from another port comes from a simple resolver and gets a unicast answer. RFC 6762, 6.7. */
  const answerAlone = ({ id, questions }: DnsMessage, answers: DnsRecord[], to: MdnsPeer) => {
    if (monotonic() - aloneAt < aloneApartMs) return;
    aloneAt = monotonic();
    const plain = (record: DnsRecord) => ({ ...record, unique: false, ttl: Math.min(record.ttl, 10) });
    const message: DnsMessage = {
      ...emptyMessage,
      id,
      isResponse: true,
      questions: questions.filter((question) => answers.some(isAnswerTo(question))).slice(0, mostRepeated),
      answers: answers.map(plain),
      additionals: additionalTo(answers, advertised).map(plain),
    };
    void reply(encodeMessage(message), to);
  };

  return {
    take(query, from) {
      const known = new Set(query.answers.filter(isFresh).map(recordKey));
      const answers = answersTo(query.questions, advertised).filter((record) => !known.has(recordKey(record)));
      if (answers.length === 0) return;
      if (from.port !== mdnsPort) return answerAlone(query, answers, from);
      const isProbe = query.authorities.length > 0;
      if (isProbe) {
        const rightNow = answers.filter((record) => rested(record, defendApartMs));
        if (rightNow.length > 0) void respond(rightNow);
        return;
      }
      for (const record of answers) due.add(record);
      cancel ??= after(gatherMs + random() * spreadMs, answerDue);
    },
    announce: (records) => respond(records),
    stop() {
      cancel?.();
      cancel = null;
      due.clear();
    },
  };
}

function answersTo(questions: readonly DnsQuestion[], { shared, unique }: Advertised): DnsRecord[] {
  return [...shared, ...unique].filter((record) => questions.some((question) => isAnswerTo(question)(record)));
}

const isAnswerTo =
  ({ name, type }: DnsQuestion) =>
  (record: DnsRecord) =>
    (type === record.type || type === recordTypes.ANY) && sameName(name, record.name);

/** Records that a client of the service queries next. */
function additionalTo(answers: readonly DnsRecord[], { unique }: Advertised): DnsRecord[] {
  return answers.some(({ type }) => type === recordTypes.PTR || type === recordTypes.SRV)
    ? unique.filter((record) => !answers.includes(record))
    : [];
}

/** The query includes the answer, with enough time to live. RFC 6762, 7.1. */
const isFresh = ({ ttl, type }: DnsRecord) =>
  ttl >= (type === recordTypes.PTR || type === recordTypes.TXT ? otherTtl : addressTtl) / 2;

/** Fits into an Ethernet frame, with the headers before it. */
const mostBytes = 1400;

/** In as few messages as it takes. */
export function sendAll(
  answers: readonly DnsRecord[],
  additionals: readonly DnsRecord[],
  send: Links['send'],
): Promise<unknown> {
  if (answers.length + additionals.length === 0) return Promise.resolve();
  const all = { ...emptyMessage, isResponse: true };
  const whole = encodeMessage({ ...all, answers: [...answers], additionals: [...additionals] });
  if (whole.length <= mostBytes || answers.length + additionals.length < 2) return send(whole);
  if (additionals.length > 0) return Promise.all([sendAll(answers, [], send), sendAll(additionals, [], send)]);
  const half = answers.length >> 1;
  return Promise.all([sendAll(answers.slice(0, half), [], send), sendAll(answers.slice(half), [], send)]);
}
