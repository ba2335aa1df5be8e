import { classInternet, type DnsMessage, type DnsName, type DnsRecord, recordTypes, topBit } from './dns.ts';

const encoder = new TextEncoder();

/** RFC 6762, 17: no message is longer. */
const mostBytes = 9000;

/** Encodes a message with name compression. */
export function encodeMessage(message: DnsMessage): Uint8Array {
  const { questions, answers, authorities, additionals } = message;
  const out = createWriter(mostBytes);
  out.number(message.id);
  // A response is authoritative: each host answers for its own names.
  out.number(message.isResponse ? 0x8400 : 0);
  for (const { length } of [questions, answers, authorities, additionals]) out.number(length);
  for (const { name, type } of questions) {
    out.name(name);
    out.number(type);
    out.number(classInternet);
  }
  for (const records of [answers, authorities, additionals]) for (const record of records) writeRecord(out, record);
  return out.bytes();
}

function writeRecord(out: Writer, { name, type, unique, ttl, data }: DnsRecord): void {
  out.name(name);
  out.number(type);
  out.number(classInternet | (unique ? topBit : 0));
  out.number(ttl >>> 16);
  out.number(ttl & 0xffff);
  out.number(data.length);
  out.raw(data);
}

interface Writer {
  number(value: number): void;
  raw(bytes: Uint8Array): void;
  /** Length-prefixed; cut to the maximum length. */
  text(text: string, mostBytes: number): void;
  name(name: DnsName): void;
  bytes(): Uint8Array;
}

/** Throws a RangeError when the message is full. */
function createWriter(room: number): Writer {
  const buffer = new Uint8Array(room);
  const known = new Map<string, number>();
  let length = 0;
  const byte = (value: number) => {
    if (length >= room) throw new RangeError('The message is too long');
    buffer[length] = value;
    length += 1;
  };
  const number = (value: number) => {
    byte((value >>> 8) & 0xff);
    byte(value & 0xff);
  };
  const text = (label: string, most: number) => {
    byte(0);
    // Never half a character, and never beyond the limit.
    const { written } = encoder.encodeInto(label, buffer.subarray(length, length + most));
    buffer[length - 1] = written;
    length += written;
  };
  return {
    number,
    text,
    raw(bytes) {
      buffer.set(bytes, length);
      length += bytes.length;
    },
    name(name) {
      for (let index = 0; index < name.length; index++) {
        const key = JSON.stringify(name.slice(index));
        const pointer = known.get(key);
        if (pointer !== undefined) return number(0xc000 | pointer);
        if (length < 0x4000) known.set(key, length);
        text(name[index] ?? '', mostLabelBytes);
      }
      byte(0);
    },
    bytes: () => buffer.slice(0, length),
  };
}

const mostLabelBytes = 63;
const mostNameBytes = 256;

/** Uncompressed. */
export function nameBytes(name: DnsName): Uint8Array {
  const out = createWriter(name.length * (mostLabelBytes + 1) + 1);
  out.name(name);
  return out.bytes();
}

/** As much of a text as fits into this many bytes, without half characters. */
export function shortened(text: string, mostBytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(mostBytes));
  return text.slice(0, read);
}

export const pointerData = (target: DnsName) => nameBytes(target);

export function serviceData(port: number, target: DnsName): Uint8Array {
  const name = nameBytes(target);
  const data = new Uint8Array(6 + name.length);
  data.set([port >>> 8, port & 0xff], 4);
  data.set(name, 6);
  return data;
}

/** RFC 6763, 6.1: an empty record has one empty text. Pairs above the maximum length are left out. */
export function pairsData(pairs: Record<string, string>): Uint8Array {
  if (Object.keys(pairs).length === 0) return new Uint8Array(1);
  const texts = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
  const out = createWriter(texts.length * mostNameBytes);
  for (const text of texts) if (Buffer.byteLength(text) < mostNameBytes) out.text(text, mostNameBytes - 1);
  return out.bytes();
}

/** null: not an address. */
export function addressRecord(name: DnsName, address: string, ttl: number): DnsRecord | null {
  const record = { name, unique: true, ttl };
  const four = address.split('.').map(Number);
  if (!address.includes(':'))
    return four.length === 4 ? { ...record, type: recordTypes.A, data: Uint8Array.from(four) } : null;
  const groups = ipv6Groups(address);
  return groups === null
    ? null
    : {
        ...record,
        type: recordTypes.AAAA,
        data: Uint8Array.from(groups.flatMap((group) => [group >>> 8, group & 0xff])),
      };
}

function ipv6Groups(address: string): number[] | null {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const front = numbers(head);
  const back = numbers(tail ?? '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => 0);
  const groups = [...front, ...zeros, ...back];
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : null;
}
