import type { Type } from './signature.ts';

/**
 * A message under construction, little-endian, each value at a multiple of its size.
 * https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-marshaling
 */
export interface Output {
  bytes: Buffer;
  /** Number of written bytes; the rest is zero. */
  at: number;
}

export function createOutput(): Output {
  return { bytes: Buffer.alloc(256), at: 0 };
}

export function written({ bytes, at }: Output): Buffer {
  return bytes.subarray(0, at);
}

export function align(output: Output, size: number): void {
  reserve(output, 0, size);
}

/** A number that fits its type, as a bigint only where it has 64 bits; true and false as 1 and 0. */
export function writeNumber(output: Output, code: string, value: number | bigint): void {
  const size = alignmentOf(code);
  const at = reserve(output, size, size);
  const { bytes } = output;
  if (typeof value === 'bigint') {
    putWhole(bytes, at, 4, Number(BigInt.asUintN(32, value)));
    putWhole(bytes, at + 4, 4, Number(BigInt.asUintN(32, value >> 32n)));
  } else if (code === 'd') {
    new DataView(bytes.buffer, bytes.byteOffset + at, size).setFloat64(0, value, true);
  } else {
    putWhole(bytes, at, Math.min(size, 4), value);
    if (size === 8) putWhole(bytes, at + 4, 4, Math.floor(value / 2 ** 32));
  }
}

/** A string, a path or a signature: its length, its bytes and a NUL. */
export function writeText(output: Output, code: string, text: string): void {
  const length = Buffer.byteLength(text);
  writeNumber(output, code === 'g' ? 'y' : 'u', length);
  const at = reserve(output, length + 1, 1);
  output.bytes.write(text, at, length);
}

export function writeBytes(output: Output, bytes: Uint8Array): void {
  const at = reserve(output, bytes.length, 1);
  output.bytes.set(bytes, at);
}

/** The length counts neither itself nor the gap before the first element. */
export function writeArray(output: Output, element: string, writeElements: () => void): void {
  const at = reserve(output, 4, 4);
  align(output, alignmentOf(element));
  const start = output.at;
  writeElements();
  putWhole(output.bytes, at, 4, output.at - start);
}

/** Bytes of a number, and what the place of any value is a multiple of. */
export function alignmentOf(code: Type['code']): number {
  switch (code) {
    case 'y':
    case 'g':
    case 'v':
      return 1;
    case 'n':
    case 'q':
      return 2;
    case 'x':
    case 't':
    case 'd':
    case '(':
    case '{':
      return 8;
    default:
      return 4;
  }
}

function reserve(output: Output, size: number, alignment: number): number {
  const at = Math.ceil(output.at / alignment) * alignment;
  if (at + size > output.bytes.length) {
    const larger = Buffer.alloc(Math.max(at + size, output.bytes.length * 2));
    larger.set(written(output));
    output.bytes = larger;
  }
  output.at = at + size;
  return at;
}

/** The lowest bits of it; negative ones as their complement. */
function putWhole(bytes: Buffer, at: number, size: number, value: number): void {
  for (let index = 0; index < size; index++) bytes[at + index] = value >> (8 * index);
}
