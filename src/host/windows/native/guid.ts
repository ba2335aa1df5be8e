/** A GUID as Windows keeps it: the first three numbers in the order of the machine, the rest byte by byte. */
export function guidBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/[{}-]/g, '');
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error(`"${text}" is not a GUID`);
  const bytes = Array.from({ length: 16 }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16));
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return Uint8Array.from(order.map((from) => bytes[from] ?? 0));
}
