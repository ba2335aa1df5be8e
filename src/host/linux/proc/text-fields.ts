/** The whole number after a key in a text such as /proc/stat; null: the key is missing, or not followed by a number. */
export function numberAfter(text: string, key: string): number | null {
  const at = text.indexOf(key);
  if (at === -1) return null;
  const value = Number.parseInt(text.slice(at + key.length, at + key.length + 32), 10);
  return Number.isNaN(value) ? null : value;
}

/** The number that a file of /sys or /proc/sys consists of, hexadecimal with 0x; null: missing, or not a number. */
export function numberIn(text: string | null): number | null {
  const trimmed = text?.trim() ?? '';
  const value = trimmed === '' ? Number.NaN : Number(trimmed);
  return Number.isFinite(value) ? value : null;
}
