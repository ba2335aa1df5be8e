import { BusError, type Variant, variantSignature } from './dbus.ts';
import { isObjectPath, isText } from './names.ts';
import { parseSignature, type Type } from './signature.ts';
import {
  align,
  alignmentOf,
  createOutput,
  type Output,
  writeArray,
  writeBytes,
  writeNumber,
  writeText,
  written,
} from './wire.write.ts';

/** Encodes the values of a call; throws before sending where they do not match the signature. */
export function wrap(signature: string, body: unknown[]): Buffer {
  const types = parseSignature(signature);
  if (types.length !== body.length) {
    throw invalid(`The signature "${signature}" has ${types.length} values, but ${body.length} were given.`);
  }
  const output = createOutput();
  const spent = { bytes: 0 };
  types.forEach((type, index) => {
    wrapValue(type, body[index], { output, spent, depth: 0, argument: index + 1 });
  });
  return written(output);
}

interface Place {
  output: Output;
  spent: { bytes: number };
  depth: number;
  argument: number;
}

const largestBody = 1024 * 1024;
// The limit of the specification; it also catches an object that contains itself.
const deepest = 64;

function wrapValue(type: Type, value: unknown, place: Place): void {
  spend(place, 8);
  if (place.depth > deepest) throw invalid(`Argument ${place.argument} is nested too deeply for D-Bus.`);
  const inner = { ...place, depth: place.depth + 1 };
  const range = ranges[type.code];
  if (range) return wrapInteger(type, value, range, place);
  switch (type.code) {
    case 's':
      return isText(value) ? wrapText(type, value, place) : refuse(type, place, 'text without NUL');
    case 'o':
      return isObjectPath(value) ? wrapText(type, value, place) : refuse(type, place, 'an object path');
    case 'g':
      if (typeof value !== 'string') return refuse(type, place, 'a signature');
      parseSignature(value);
      return wrapText(type, value, place);
    case 'b':
      if (typeof value !== 'boolean') return refuse(type, place, 'true or false');
      return writeNumber(place.output, 'b', Number(value));
    case 'd':
      if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(type, place, 'a finite number');
      return writeNumber(place.output, 'd', value);
    case 'v':
      return wrapVariant(value, inner);
    case 'a':
      return wrapArray(type, value, inner);
    case '(':
      return wrapStruct(type, value, inner);
    default:
      throw invalid(
        `Argument ${place.argument} has the type "${type.code}", a descriptor, which this connection cannot carry.`,
      );
  }
}

/** Those of 64 bits are wider than any number that is exact. */
const ranges: Partial<Record<string, [number, number]>> = {
  y: [0, 0xff],
  n: [-0x8000, 0x7fff],
  q: [0, 0xffff],
  i: [-0x8000_0000, 0x7fff_ffff],
  u: [0, 0xffff_ffff],
  x: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  t: [0, Number.MAX_SAFE_INTEGER],
};

function wrapInteger(type: Type, value: unknown, [least, most]: [number, number], place: Place): void {
  if (typeof value === 'bigint') return wrapBigint(type, value, place);
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return refuse(type, place, 'a whole number');
  if (value < least || value > most) return refuse(type, place, `from ${least} to ${most}`);
  writeNumber(place.output, type.code, value);
}

function wrapBigint(type: Type, value: bigint, place: Place): void {
  const bits = alignmentOf(type.code) * 8;
  const isSigned = type.code === 'n' || type.code === 'i' || type.code === 'x';
  const fits = (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
  if (!fits) return refuse(type, place, `of ${bits} bits, ${isSigned ? 'with' : 'without'} a sign`);
  writeNumber(place.output, type.code, bits === 64 ? value : Number(value));
}

function wrapText(type: Type, text: string, place: Place): void {
  spend(place, Buffer.byteLength(text));
  writeText(place.output, type.code, text);
}

function wrapVariant(value: unknown, place: Place): void {
  const { [variantSignature]: signature, value: content } = isVariant(value)
    ? value
    : { [variantSignature]: plainSignature(value, place), value };
  const [type, ...more] = parseSignature(signature);
  if (!type || more.length > 0)
    throw invalid(`A variant holds exactly one value, but "${signature}" is not the signature of one.`);
  wrapText({ code: 'g', parts: [] }, signature, place);
  wrapValue(type, content, place);
}

function isVariant(value: unknown): value is Variant {
  return typeof value === 'object' && value !== null && variantSignature in value;
}

function plainSignature(value: unknown, place: Place): string {
  if (typeof value === 'string') return 's';
  if (typeof value === 'boolean') return 'b';
  if (typeof value === 'bigint') return 'x';
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'd';
    return value === (value | 0) ? 'i' : 'x';
  }
  if (value instanceof Uint8Array) return 'ay';
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return 'as';
  if (Array.isArray(value)) return 'av';
  if (typeof value === 'object' && value !== null) return 'a{sv}';
  throw invalid(`Argument ${place.argument} holds ${String(value)}, for which D-Bus has no type.`);
}

function wrapArray(type: Type, value: unknown, place: Place): void {
  const { output } = place;
  const [element] = type.parts;
  if (element?.code === 'y' && value instanceof Uint8Array) {
    spend(place, value.length);
    return writeArray(output, 'y', () => writeBytes(output, value));
  }
  if (element?.code === '{') return wrapDictionary(element, value, place);
  if (!Array.isArray(value) || !element) return refuse(type, place, 'an array');
  writeArray(output, element.code, () => {
    for (const item of value) wrapValue(element, item, place);
  });
}

function wrapDictionary({ parts: [keyType, valueType] }: Type, value: unknown, place: Place): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !keyType || !valueType) {
    throw invalid(`Argument ${place.argument} must be an object, which becomes a dictionary.`);
  }
  const isNumeric = ranges[keyType.code] || keyType.code === 'd';
  writeArray(place.output, '{', () => {
    for (const [key, item] of Object.entries(value)) {
      align(place.output, 8);
      wrapValue(keyType, isNumeric ? Number(key) : key, place);
      wrapValue(valueType, item, place);
    }
  });
}

function wrapStruct(type: Type, value: unknown, place: Place): void {
  if (!Array.isArray(value) || value.length !== type.parts.length) {
    return refuse(type, place, `an array of ${type.parts.length} values`);
  }
  align(place.output, 8);
  type.parts.forEach((part, index) => {
    wrapValue(part, value[index], place);
  });
}

function spend({ spent }: Place, bytes: number): void {
  spent.bytes += bytes;
  if (spent.bytes > largestBody) throw invalid('A D-Bus call must not exceed 1 MiB.');
}

function refuse(type: Type, { argument }: Place, needed: string): never {
  throw invalid(`Argument ${argument} has a value for "${type.code}" that is not ${needed}.`);
}

function invalid(message: string): BusError {
  return new BusError('Client.Invalid', message);
}
