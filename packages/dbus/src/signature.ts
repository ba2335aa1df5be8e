import { BusError } from './dbus.ts';

/** One complete type: a code of the specification, `(` for a struct, `{` for a dictionary entry. */
export interface Type {
  code: string;
  /** Of an array its one element, of a struct its fields, of an entry key and value. */
  parts: Type[];
}

/** The types of a signature. https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-signatures */
export function parseSignature(signature: string): Type[] {
  if (signature.length > 255) throw invalid(signature, 'is longer than 255 characters');
  const types: Type[] = [];
  let at = 0;
  while (at < signature.length) types.push(next(0, 0));
  return types;

  function next(arrays: number, structs: number): Type {
    if (arrays > 32 || structs > 32) throw invalid(signature, 'is nested too deeply');
    const code = signature[at++] ?? '';
    if (code !== '' && basic.includes(code)) return { code, parts: [] };
    if (code === 'v') return { code, parts: [] };
    if (code === 'a') {
      const element = signature[at] === '{' ? entry(arrays + 1, structs) : next(arrays + 1, structs);
      return { code, parts: [element] };
    }
    if (code === '(') return { code, parts: until(')', arrays, structs + 1) };
    throw invalid(signature, code === '' ? 'ends too early' : `has ${JSON.stringify(code)} where a type should be`);
  }

  function entry(arrays: number, structs: number): Type {
    at++;
    // An entry is always within an array, whose depth is limited: it is not counted as a struct.
    const parts = until('}', arrays, structs);
    const [key] = parts;
    if (parts.length !== 2 || !key || !basic.includes(key.code)) {
      throw invalid(signature, 'has a dictionary entry without a basic key and exactly one value');
    }
    return { code: '{', parts };
  }

  function until(end: string, arrays: number, structs: number): Type[] {
    const parts: Type[] = [];
    while (signature[at] !== end) parts.push(next(arrays, structs));
    at++;
    if (parts.length === 0) throw invalid(signature, 'has an empty struct');
    return parts;
  }
}

const basic = 'ybnqiuxtdsogh';

function invalid(signature: string, why: string): BusError {
  return new BusError('Client.Invalid', `The D-Bus signature ${JSON.stringify(signature.slice(0, 80))} ${why}.`);
}
