import { type Struct, type StructValues, sizeOf } from '../../src/host/windows/native/structs.ts';

/** A structure as Windows would fill it: missing fields are zero. */
export function structBytes<S extends Struct>(struct: S, values: Partial<StructValues<S>>): Uint8Array {
  const bytes = new Uint8Array(struct.size);
  const view = new DataView(bytes.buffer);
  for (const [name, value] of Object.entries(values)) {
    const [at, type] = struct.fields[name] ?? [0, 'u8'];
    if (value instanceof Uint8Array) bytes.set(value, at);
    else if (typeof value === 'string') bytes.set(Buffer.from(value, 'utf16le').subarray(0, sizeOf(type)), at);
    else if (sizeOf(type) === 8) view.setBigInt64(at, BigInt(Number(value)), true);
    else if (sizeOf(type) === 4) view.setInt32(at, Number(value), true);
    else if (sizeOf(type) === 2) view.setInt16(at, Number(value), true);
    else view.setInt8(at, Number(value));
  }
  return bytes;
}

export const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
