import { pinned } from '../../ffi.ts';

/** The first three numbers of a GUID in memory begin with their lowest byte; the rest is as it is written. */
const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

export function guidBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/[{}-]/g, '');
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error(`"${text}" is not a GUID`);
  const bytes = pinned(16);
  for (const [at, from] of order.entries()) bytes[at] = Number.parseInt(digits.slice(2 * from, 2 * from + 2), 16);
  return bytes;
}

export function guidText(bytes: Uint8Array): string {
  const hex = order.map((from) => (bytes[from] ?? 0).toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
