import { nameBytes } from './dns.encode.ts';
import {
  classInternet,
  type DnsMessage,
  type DnsName,
  type DnsQuestion,
  type DnsRecord,
  recordTypes,
  type ServiceData,
  topBit,
} from './dns.ts';

/** Far above any legitimate message. */
const mostEntries = 256;
const mostBytes = 9000;
const longestName = 255;
/** Compression pointers make long names out of few bytes. */
const mostLabels = 2000;

/** Parses untrusted bytes; null: invalid, or not multicast DNS. Never throws. */
export function decodeMessage(bytes: Uint8Array): DnsMessage | null {
  if (bytes.length < 12 || bytes.length > mostBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(2);
  // Operation and result are zero in all of multicast DNS.
  if ((flags & 0x780f) !== 0) return null;
  const counts = [4, 6, 8, 10].map((at) => view.getUint16(at));
  if (counts.reduce((sum, count) => sum + count, 0) > mostEntries) return null;
  const cursor = { view, bytes, at: 12, labelsLeft: mostLabels };
  try {
    const [questions = 0, answers = 0, authorities = 0, additionals = 0] = counts;
    return {
      id: view.getUint16(0),
      isResponse: (flags & 0x8000) !== 0,
      questions: take(questions, () => readQuestion(cursor)),
      answers: take(answers, () => readRecord(cursor)),
      authorities: take(authorities, () => readRecord(cursor)),
      additionals: take(additionals, () => readRecord(cursor)),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Cursor {
  view: DataView;
  bytes: Uint8Array;
  at: number;
  labelsLeft: number;
}

const take = <T>(count: number, read: () => T | null): T[] =>
  Array.from({ length: count }, read).filter((entry) => entry !== null);

function readQuestion(cursor: Cursor): DnsQuestion | null {
  const name = readName(cursor);
  const type = read16(cursor);
  const isOurs = (read16(cursor) & ~topBit) === classInternet;
  return isOurs ? { name, type } : null;
}

function readRecord(cursor: Cursor): DnsRecord | null {
  const name = readName(cursor);
  const type = read16(cursor);
  const classAndBit = read16(cursor);
  const ttl = read16(cursor) * 0x1_0000 + read16(cursor);
  const length = read16(cursor);
  const start = cursor.at;
  const end = start + length;
  if (end > cursor.bytes.length) throw new RangeError('cut off');
  const data = readData(cursor, type, end);
  cursor.at = end;
  if ((classAndBit & ~topBit) !== classInternet) return null;
  return { name, type, unique: (classAndBit & topBit) !== 0, ttl, data };
}

/** Names may be compressed, also inside data. */
function readData(cursor: Cursor, type: number, end: number): Uint8Array {
  const fixed = type === recordTypes.SRV ? 6 : 0;
  if (type !== recordTypes.SRV && type !== recordTypes.PTR)
    return new Uint8Array(cursor.bytes.subarray(cursor.at, end));
  if (cursor.at + fixed >= end) throw new RangeError('cut off');
  const before = cursor.bytes.subarray(cursor.at, cursor.at + fixed);
  cursor.at += fixed;
  const name = readName(cursor);
  if (cursor.at > end) throw new RangeError('a name extends beyond its record');
  const written = nameBytes(name);
  const data = new Uint8Array(fixed + written.length);
  data.set(before);
  data.set(written, fixed);
  return data;
}

function read16(cursor: Cursor): number {
  const value = cursor.view.getUint16(cursor.at);
  cursor.at += 2;
  return value;
}

const text = new TextDecoder();

function readName(cursor: Cursor): DnsName {
  const { view, bytes } = cursor;
  const labels: string[] = [];
  let at = cursor.at;
  let length = 1;
  /** Each pointer leads further back than the previous one, so the loop ends. */
  let lowest = at;
  let jumped = false;
  for (;;) {
    const size = view.getUint8(at);
    if (size >= 0xc0) {
      const target = view.getUint16(at) & 0x3fff;
      if (!jumped) cursor.at = at + 2;
      jumped = true;
      if (target >= lowest || target < 12) throw new RangeError('a compression pointer that does not point backwards');
      // A long chain may be followed by every name of a message.
      cursor.labelsLeft -= 1;
      if (cursor.labelsLeft < 0) throw new RangeError('too long');
      lowest = target;
      at = target;
      continue;
    }
    if (size >= 0x40) throw new RangeError('an unknown type of label');
    at += 1;
    if (size === 0) break;
    length += size + 1;
    cursor.labelsLeft -= 1;
    if (length > longestName || at + size > bytes.length || cursor.labelsLeft < 0) throw new RangeError('too long');
    labels.push(text.decode(bytes.subarray(at, at + size)));
    at += size;
  }
  if (!jumped) cursor.at = at;
  return labels;
}

/** Parses the data of decoded records; null: invalid. */
export function nameIn(data: Uint8Array): DnsName | null {
  return within(data, 0);
}

export function serviceIn(data: Uint8Array): ServiceData | null {
  if (data.length < 7) return null;
  const target = within(data, 6);
  return target === null ? null : { port: new DataView(data.buffer, data.byteOffset).getUint16(4), target };
}

function within(data: Uint8Array, at: number): DnsName | null {
  try {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    return readName({ bytes: data, view, at, labelsLeft: mostLabels });
  } catch {
    return null;
  }
}

/** key=value pairs; the first of each key counts. RFC 6763, 6.4. */
export function pairsIn(data: Uint8Array): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0)) {
    const pair = text.decode(data.subarray(at + 1, at + 1 + (data[at] ?? 0)));
    const equals = pair.indexOf('=');
    const key = (equals === -1 ? pair : pair.slice(0, equals)).toLowerCase();
    if (key !== '' && !pairs.has(key)) pairs.set(key, equals === -1 ? '' : pair.slice(equals + 1));
  }
  return pairs;
}

export function addressIn({ type, data }: Pick<DnsRecord, 'type' | 'data'>): string | null {
  if (type === recordTypes.A && data.length === 4) return data.join('.');
  if (type !== recordTypes.AAAA || data.length !== 16) return null;
  const view = new DataView(data.buffer, data.byteOffset);
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
