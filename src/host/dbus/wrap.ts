import { BusError, type Variant, variantSignature } from './dbus.ts';
import { isObjectPath, isText } from './names.ts';
import { parseSignature, type Type } from './signature.ts';

/**
 * The values of a call as dbus-native writes them: dictionaries as pairs, variants as [signature, value].
 * In these spellings it guesses nothing: it would take the strings ['s', 'x'] in a `v` for a variant of type `s`.
 */
export function wrap(signature: string, body: unknown[]): unknown[] {
  const types = parseSignature(signature);
  if (types.length !== body.length) {
    throw invalid(`The signature "${signature}" has ${types.length} values, but ${body.length} were given.`);
  }
  const spent = { bytes: 0 };
  return types.map((type, index) => wrapValue(type, body[index], { spent, depth: 0, argument: index + 1 }));
}

interface Place {
  spent: { bytes: number };
  depth: number;
  argument: number;
}

const largestBody = 1024 * 1024;
// The limit of the specification; it also ends an object that contains itself.
const deepest = 64;

function wrapValue(type: Type, value: unknown, place: Place): unknown {
  spend(place, 8);
  if (place.depth > deepest) throw invalid(`Argument ${place.argument} is nested too deeply for D-Bus.`);
  const inner = { ...place, depth: place.depth + 1 };
  const range = ranges[type.code];
  if (range) return wrapInteger(type, value, range, place);
  switch (type.code) {
    case 's':
      return isText(value) ? counted(value, place) : refuse(type, place, 'text without NUL');
    case 'o':
      return isObjectPath(value) ? counted(value, place) : refuse(type, place, 'an object path');
    case 'g':
      if (typeof value !== 'string') return refuse(type, place, 'a signature');
      parseSignature(value);
      return counted(value, place);
    case 'b':
      return typeof value === 'boolean' ? value : refuse(type, place, 'true or false');
    case 'd':
      return Number.isFinite(value) ? value : refuse(type, place, 'a finite number');
    case 'v':
      return wrapVariant(value, inner);
    case 'a':
      return wrapArray(type, value, inner);
    case '(':
      return wrapStruct(type, value, inner);
    default:
      return refuse(type, place, 'anything but a descriptor, which this connection cannot carry');
  }
}

const ranges: Partial<Record<string, [bigint, bigint]>> = {
  y: [0n, 0xffn],
  n: [-0x8000n, 0x7fffn],
  q: [0n, 0xffffn],
  i: [-0x8000_0000n, 0x7fff_ffffn],
  u: [0n, 0xffff_ffffn],
  x: [-(2n ** 63n), 2n ** 63n - 1n],
  t: [0n, 2n ** 64n - 1n],
};

function wrapInteger(type: Type, value: unknown, [least, most]: [bigint, bigint], place: Place): number | bigint {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return refuse(type, place, 'a whole number');
  const exact = BigInt(value as number | bigint);
  if (exact < least || exact > most) return refuse(type, place, `from ${least} to ${most}`);
  return type.code === 'x' || type.code === 't' ? exact : Number(exact);
}

function wrapVariant(value: unknown, place: Place): [string, unknown] {
  const { [variantSignature]: signature, value: content } = isVariant(value)
    ? value
    : { [variantSignature]: plainSignature(value, place), value };
  const [type, ...more] = parseSignature(signature);
  if (!type || more.length > 0) throw invalid(`A variant holds one value, which "${signature}" is not.`);
  return [counted(signature, place), wrapValue(type, content, place)];
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

function wrapArray(type: Type, value: unknown, place: Place): unknown {
  const [element] = type.parts;
  if (element?.code === 'y' && value instanceof Uint8Array) {
    spend(place, value.length);
    return value;
  }
  if (element?.code === '{') return wrapDictionary(element, value, place);
  if (!Array.isArray(value) || !element) return refuse(type, place, 'an array');
  return value.map((item) => wrapValue(element, item, place));
}

function wrapDictionary({ parts: [keyType, valueType] }: Type, value: unknown, place: Place): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !keyType || !valueType) {
    throw invalid(`Argument ${place.argument} must be an object, which becomes a dictionary.`);
  }
  const isNumeric = ranges[keyType.code] || keyType.code === 'd';
  return Object.entries(value).map(([key, item]) => [
    wrapValue(keyType, isNumeric ? Number(key) : key, place),
    wrapValue(valueType, item, place),
  ]);
}

function wrapStruct(type: Type, value: unknown, place: Place): unknown {
  if (!Array.isArray(value) || value.length !== type.parts.length) {
    return refuse(type, place, `an array of ${type.parts.length} values`);
  }
  return type.parts.map((part, index) => wrapValue(part, value[index], place));
}

function counted(text: string, place: Place): string {
  spend(place, Buffer.byteLength(text));
  return text;
}

function spend({ spent }: Place, bytes: number): void {
  spent.bytes += bytes;
  if (spent.bytes > largestBody) throw invalid('A D-Bus call of more than 1 MiB is not sent.');
}

function refuse(type: Type, { argument }: Place, needed: string): never {
  throw invalid(`Argument ${argument} has a value for "${type.code}" that is not ${needed}.`);
}

function invalid(message: string): BusError {
  return new BusError('Hostler.Invalid', message);
}
