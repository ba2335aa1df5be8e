/**
 * A value as dbus-native read it, in plain JavaScript. Variants are unwrapped already; dictionaries arrive as marked
 * arrays of pairs, because its own objects let a key `__proto__` choose the prototype.
 */
export function unwrap(value: unknown): unknown {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : value;
  // A copy: what arrives is a piece of a larger buffer that is shared.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!Array.isArray(value)) return value;
  return dictionary in value ? unwrapDictionary(value) : value.map(unwrap);
}

/** The mark that dbus-native puts on dictionaries; structs and arrays look the same otherwise. */
export const dictionary = Symbol.for('dbus.dict');

function unwrapDictionary(pairs: unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const pair of pairs) {
    if (Array.isArray(pair)) object[String(pair[0])] = unwrap(pair[1]);
  }
  return object;
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}
