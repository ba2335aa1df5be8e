/** Numbers of a request, one word each. */
export function x11Words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}
