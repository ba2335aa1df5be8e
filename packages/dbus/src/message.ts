import { malformed, readValues, whole } from './wire.read.ts';
import { align, createOutput, writeArray, writeBytes, writeNumber, writeText, written } from './wire.write.ts';

/** The fields of a message. https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-header-fields */
export interface HeaderFields {
  path?: string | undefined;
  interface?: string | undefined;
  member?: string | undefined;
  errorName?: string | undefined;
  replySerial?: number | undefined;
  destination?: string | undefined;
  sender?: string | undefined;
  signature?: string | undefined;
}

/** An outgoing message; the body as `wrap` wrote it. */
export interface Outgoing extends HeaderFields {
  body?: Uint8Array;
}

export interface BusMessage extends HeaderFields {
  kind: number;
  flags: number;
  serial: number;
  /** Number of descriptors; an `h` in the body is the index of one of them. */
  descriptors: number;
  /** Parsed on first access, which most signals never need. Throws BusError where it does not match its signature, or has too many values. */
  readonly body: unknown[];
}

export const kinds = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** The bytes that determine the length of a message. */
export const startBytes = 16;
/** Longer messages are discarded: a player may put a film into its metadata. */
export const largestMessage = 16 * 1024 * 1024;
/** Messages with a longer header are discarded: the bus writes it, but a path may have any length. */
export const largestHeader = 64 * 1024;
/** Messages with more values are discarded. A unit of systemd has 11, a block device of UDisks about 120; no signal has more than hundreds. */
export const mostValues = { answer: 100_000, other: 20_000 } as const;
/** No bus passes on more. https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-messages */
const longestMessage = 128 * 1024 * 1024;
const littleEndian = 'l'.charCodeAt(0);
const bigEndian = 'B'.charCodeAt(0);
const protocolVersion = 1;

/** Length of the message that begins here: up to its body, and in total. */
export function extentOf(bytes: Buffer): { header: number; whole: number } {
  const [order, , , version] = bytes;
  if (order !== littleEndian && order !== bigEndian) throw malformed('does not begin with its byte order');
  if (version !== protocolVersion) throw malformed(`has the version ${version}, which is unknown`);
  const { bodyAt, bodyLength } = startOf(bytes);
  if (bodyAt + bodyLength > longestMessage) throw malformed('has more than 128 MiB');
  return { header: bodyAt, whole: bodyAt + bodyLength };
}

/** One whole message; where only its header is given, its body must not be accessed. */
export function readMessage(bytes: Buffer): BusMessage {
  const [, kind = 0, flags = 0] = bytes;
  const { isLittle, bodyAt, serial } = startOf(bytes);
  if (kind === 0 || serial === 0) throw malformed('has no type or no serial number');
  const [list] = readValues(bytes.subarray(0, bodyAt), fieldsAt, isLittle, 'a(yv)', mostValues.answer);
  const fields = fieldsOf(list);
  const most = kind === kinds.reply || kind === kinds.error ? mostValues.answer : mostValues.other;
  let body: unknown[] | null = null;
  return {
    ...fields,
    kind,
    flags,
    serial,
    get body() {
      body ??= readValues(bytes, bodyAt, isLittle, fields.signature ?? '', most);
      return body;
    },
  };
}

export function writeMessage(kind: number, serial: number, { body, ...fields }: Outgoing): Buffer {
  const output = createOutput();
  for (const byte of [littleEndian, kind, 0, protocolVersion]) writeNumber(output, 'y', byte);
  writeNumber(output, 'u', body?.length ?? 0);
  writeNumber(output, 'u', serial);
  writeArray(output, '(', () => {
    for (const [code, name, type] of known) {
      const value = fields[name];
      if (value === undefined || value === '') continue;
      align(output, 8);
      writeNumber(output, 'y', code);
      writeText(output, 'g', type);
      if (typeof value === 'number') writeNumber(output, type, value);
      else writeText(output, type, value);
    }
  });
  align(output, 8);
  if (body) writeBytes(output, body);
  return written(output);
}

const known = [
  [1, 'path', 'o'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'errorName', 's'],
  [5, 'replySerial', 'u'],
  [6, 'destination', 's'],
  [7, 'sender', 's'],
  [8, 'signature', 'g'],
] as const;

const fieldsAt = 12;

function startOf(bytes: Buffer) {
  const isLittle = bytes[0] === littleEndian;
  const read = (at: number) => whole({ bytes, isLittle }, at, 4);
  return {
    isLittle,
    bodyLength: read(4),
    serial: read(8),
    bodyAt: Math.ceil((startBytes + read(fieldsAt)) / 8) * 8,
  };
}

/** Unknown fields, and fields of a wrong type, are ignored. */
function fieldsOf(list: unknown): HeaderFields & Pick<BusMessage, 'descriptors'> {
  const found = new Map<unknown, unknown>(Array.isArray(list) ? list : []);
  const text = (code: number) => {
    const value = found.get(code);
    return typeof value === 'string' ? value : undefined;
  };
  const count = (code: number) => {
    const value = found.get(code);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    path: text(1),
    interface: text(2),
    member: text(3),
    errorName: text(4),
    replySerial: count(5),
    destination: text(6),
    sender: text(7),
    signature: text(8),
    descriptors: count(9) ?? 0,
  };
}
