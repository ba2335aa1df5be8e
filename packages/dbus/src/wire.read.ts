import { BusError } from './dbus.ts';
import { parseSignature, type Type } from './signature.ts';
import { alignmentOf } from './wire.write.ts';

/**
 * The values of a signature that begin at `at` in a message, as `Bus.call` describes them. Throws only BusError,
 * where the bytes do not match the signature, or for more than `most` values; an array of bytes counts as one.
 * https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-marshaling
 */
export function readValues(bytes: Buffer, at: number, isLittle: boolean, signature: string, most: number): unknown[] {
  const input = { bytes, isLittle, at, left: most };
  return typesOf(signature).map((type) => readValue(input, type, 0));
}

/** Name of the error for a message that is not read because of its size. */
export const tooLong = 'Client.TooLong';

export function malformed(why: string): BusError {
  return new BusError('Client.Invalid', `A D-Bus message ${why}.`);
}

/** An unsigned number, byte by byte: a view for each message would be a large part of the garbage. */
export function whole({ bytes, isLittle }: Pick<Input, 'bytes' | 'isLittle'>, at: number, size: number): number {
  let value = 0;
  for (let index = 0; index < size; index++) {
    value = value * 256 + (bytes[isLittle ? at + size - 1 - index : at + index] ?? 0);
  }
  return value;
}

interface Input {
  /** The whole message: places are counted from its start. */
  bytes: Buffer;
  isLittle: boolean;
  at: number;
  /** How many values may follow. */
  left: number;
}

// Limits of the specification. A signature cannot nest deeper, but a variant in a variant could do so without end.
const deepest = 64;
const longestArray = 64 * 1024 * 1024;

/** Most variants hold one simple value, and headers consist of them. */
const simple = new Map([...'ybnqiuxtdsogv'].map((code) => [code, [{ code, parts: [] }]]));

function typesOf(signature: string): Type[] {
  return simple.get(signature) ?? parseSignature(signature);
}

function readValue(input: Input, { code, parts }: Type, depth: number): unknown {
  if (depth > deepest) throw malformed('is nested too deeply');
  if (--input.left < 0) throw new BusError(tooLong, 'A D-Bus message has too many values.');
  switch (code) {
    case 's':
    case 'o':
    case 'g':
      return readText(input, code);
    case 'v':
      return readVariant(input, depth + 1);
    case 'a':
      return readArray(input, parts, depth + 1);
    case '(':
      take(input, 0, 8);
      return parts.map((part) => readValue(input, part, depth + 1));
    default:
      return readNumber(input, code);
  }
}

function readNumber(input: Input, code: string): number | bigint | boolean {
  const size = alignmentOf(code);
  const at = take(input, size);
  switch (code) {
    case 'b':
      return whole(input, at, size) !== 0;
    case 'n':
      return (whole(input, at, size) << 16) >> 16;
    case 'i':
      return whole(input, at, size) | 0;
    case 'x':
    case 't':
      return readLong(input, at, code === 'x');
    case 'd':
      return new DataView(input.bytes.buffer, input.bytes.byteOffset + at, size).getFloat64(0, input.isLittle);
    default:
      // Also "h", the index of a descriptor that came with the message.
      return whole(input, at, size);
  }
}

/** A bigint only where it is needed: the first one takes a third of a megabyte. */
function readLong(input: Input, at: number, isSigned: boolean): number | bigint {
  const lower = whole(input, input.isLittle ? at : at + 4, 4);
  const bits = whole(input, input.isLittle ? at + 4 : at, 4);
  const upper = isSigned ? bits | 0 : bits;
  const value = upper * 2 ** 32 + lower;
  return Number.isSafeInteger(value) ? value : (BigInt(upper) << 32n) + BigInt(lower);
}

function readText(input: Input, code: string): string {
  const length = code === 'g' ? whole(input, take(input, 1), 1) : readLength(input);
  const at = take(input, length + 1, 1);
  // Invalid UTF-8 becomes U+FFFD. A TextDecoder would do the same, and take half a megabyte.
  return input.bytes.toString('utf8', at, at + length);
}

function readVariant(input: Input, depth: number): unknown {
  const signature = readText(input, 'g');
  const [type, more] = typesOf(signature);
  if (!type || more) throw malformed('has a variant that does not hold one value');
  return readValue(input, type, depth);
}

function readArray(input: Input, [element]: Type[], depth: number): unknown {
  const length = readLength(input);
  if (!element || length > longestArray) throw malformed('has an array that is too long');
  const start = take(input, 0, alignmentOf(element.code));
  const end = start + length;
  if (end > input.bytes.length) throw malformed('has an array that does not fit into it');
  if (element.code === 'y') {
    input.at = end;
    // A copy: a view would retain the whole message.
    return new Uint8Array(input.bytes.subarray(start, end));
  }
  const read = element.code === '{' ? readEntries : readElements;
  const elements = read(input, element, depth, end);
  if (input.at !== end) throw malformed('has an array whose elements are longer than it');
  return elements;
}

// No type is empty, so each element advances the position.

function readElements(input: Input, element: Type, depth: number, end: number): unknown[] {
  const elements: unknown[] = [];
  while (input.at < end) elements.push(readValue(input, element, depth));
  return elements;
}

/** Without a prototype, so that a key `__proto__` is a key like any other. */
function readEntries(input: Input, { parts: [key, value] }: Type, depth: number, end: number): unknown {
  const dictionary: Record<string, unknown> = Object.create(null);
  while (key && value && input.at < end) {
    take(input, 0, 8);
    const name = String(readValue(input, key, depth + 1));
    dictionary[name] = readValue(input, value, depth + 1);
  }
  return dictionary;
}

function readLength(input: Input): number {
  return whole(input, take(input, 4), 4);
}

/** The place of the next bytes, which are there. */
function take(input: Input, size: number, alignment = size): number {
  const at = Math.ceil(input.at / alignment) * alignment;
  if (at + size > input.bytes.length) throw malformed('ends in the middle of a value');
  input.at = at + size;
  return at;
}
