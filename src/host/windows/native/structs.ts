import { pinned } from '../../ffi.ts';

/**
 * Structures of the C headers as data: names, offsets and types, written down once and checked against the headers by
 * test/real/tests/windows-structs.test.ts. Offsets are those of 64-bit Windows, which are the same on x64 and arm64.
 */
export type FieldType =
  | 'u8'
  | 'u16'
  | 'i16'
  | 'u32'
  | 'i32'
  | 'u64'
  | 'i64'
  | 'f64'
  | 'pointer'
  | `wide ${number}`
  | `bytes ${number}`;

export type StructFields = Record<string, readonly [offset: number, type: FieldType]>;

export interface Struct<F extends StructFields = StructFields> {
  /** As C spells it. */
  name: string;
  size: number;
  /** `wine`: Windows' own headers leave its fields out, those of Wine have them; `neither`: nothing to check it against. */
  headers: 'windows' | 'wine' | 'neither';
  /** The size is up to this field, of which there are several. */
  tail?: string;
  fields: F;
}

type Value<T extends FieldType> = T extends `wide ${number}`
  ? string
  : T extends `bytes ${number}`
    ? Uint8Array
    : number;

export type StructValues<S extends Struct> = { [K in keyof S['fields']]: Value<S['fields'][K][1]> };

type Content<T extends FieldType> = T extends `wide ${number}`
  ? string
  : T extends `bytes ${number}`
    ? ArrayLike<number>
    : T extends 'f64'
      ? never
      : number | bigint;

type StructContents<S extends Struct> = { [K in keyof S['fields']]: Content<S['fields'][K][1]> };

export function defineStruct<const F extends StructFields>(
  name: string,
  size: number,
  fields: F,
  { headers = 'windows', tail }: { headers?: Struct['headers']; tail?: string } = {},
): Struct<F> {
  return { name, size, headers, fields, ...(tail === undefined ? {} : { tail }) };
}

/** All fields of a structure at a place in memory. 64-bit integers above 2^53 lose precision; no field reaches that. */
export function readStruct<S extends Struct>(struct: S, bytes: Uint8Array, at = 0): StructValues<S> {
  if (at < 0 || at + struct.size > bytes.length)
    throw new Error(`${struct.name} has ${struct.size} bytes, but at ${at} there are ${bytes.length - at}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Object.entries(struct.fields).map(([name, [offset, type]]) => [
    name,
    readValue(view, at + offset, type),
  ]);
  return Object.fromEntries(values) as StructValues<S>;
}

/** Equal structures one after the other, as many as there is memory for. */
export const readStructs = <S extends Struct>(
  struct: S,
  bytes: Uint8Array,
  most = Infinity,
  at = 0,
): StructValues<S>[] =>
  Array.from({ length: Math.min(most, Math.floor((bytes.length - at) / struct.size)) }, (_, index) =>
    readStruct(struct, bytes, at + index * struct.size),
  );

/** Structures of any length with the distance to the next one; 0: it is the last. */
export function readChain<S extends Struct<{ NextEntryOffset: readonly [number, 'u32'] }>>(
  struct: S,
  bytes: Uint8Array,
) {
  const found: { at: number; entry: StructValues<S> }[] = [];
  for (let at = 0, next = 1; next !== 0 && at + struct.size <= bytes.length; at += next) {
    const entry = readStruct(struct, bytes, at);
    found.push({ at, entry });
    next = Number(entry.NextEntryOffset);
  }
  return found;
}

export function sizeOf(type: FieldType): number {
  const [kind = '', count = '0'] = type.split(' ');
  if (kind === 'wide') return 2 * Number(count);
  if (kind === 'bytes') return Number(count);
  return kind === 'pointer' ? 8 : Number(kind.slice(1)) / 8;
}

/** Memory for a structure, with these values in it; the others are zero. Texts and bytes are as long as given. */
export function filledStruct<S extends Struct>(struct: S, values: Partial<StructContents<S>>): Uint8Array<ArrayBuffer> {
  const bytes = pinned(struct.size);
  fillStruct(struct, bytes, values);
  return bytes;
}

/** The same at a place in memory. */
export function fillStruct<S extends Struct>(
  struct: S,
  bytes: Uint8Array<ArrayBuffer>,
  values: Partial<StructContents<S>>,
  start = 0,
): void {
  const view = new DataView(bytes.buffer);
  for (const [name, value] of Object.entries(values as Record<string, Content<FieldType>>)) {
    const [offset, type] = struct.fields[name] ?? [0, 'bytes 0'];
    const at = start + offset;
    if (typeof value === 'string') Buffer.from(bytes.buffer).write(value, at, 'utf16le');
    else if (typeof value === 'object') bytes.set(value, at);
    else if (sizeOf(type) === 8) view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    else if (sizeOf(type) === 4) view.setInt32(at, Number(value), true);
    else if (sizeOf(type) === 2) view.setInt16(at, Number(value), true);
    else view.setInt8(at, Number(value));
  }
}

function readValue(view: DataView, at: number, type: FieldType): number | string | Uint8Array {
  switch (type) {
    case 'u8':
      return view.getUint8(at);
    case 'u16':
      return view.getUint16(at, true);
    case 'i16':
      return view.getInt16(at, true);
    case 'u32':
      return view.getUint32(at, true);
    case 'i32':
      return view.getInt32(at, true);
    case 'i64':
      return Number(view.getBigInt64(at, true));
    case 'f64':
      return view.getFloat64(at, true);
    case 'u64':
    case 'pointer':
      return Number(view.getBigUint64(at, true));
    default: {
      const bytes = new Uint8Array(view.buffer, view.byteOffset + at, sizeOf(type));
      return type.startsWith('wide') ? wideText(bytes) : bytes.slice();
    }
  }
}

/** Text of UTF-16 up to its NUL, or to the end. */
export function wideText(bytes: Uint8Array, at = 0, end = bytes.length): string {
  let stop = at;
  while (stop + 1 < end && (bytes[stop] !== 0 || bytes[stop + 1] !== 0)) stop += 2;
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, stop - at).toString('utf16le');
}

/** A copy of memory with its original address, since it may contain pointers into itself. */
export interface StructBlock {
  at: number;
  bytes: Uint8Array;
}

/** The offset of a pointer in the block; null: NULL or outside. */
export function offsetIn({ at, bytes }: StructBlock, pointer: number): number | null {
  const offset = pointer - at;
  return pointer !== 0 && offset >= 0 && offset < bytes.length ? offset : null;
}

/** Hundreds of nanoseconds since 1601 as Unix seconds. */
export const unixSeconds = (fileTime: number) => fileTime / 1e7 - 11_644_473_600;
