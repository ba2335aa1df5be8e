/** The whole number behind a key of a text such as /proc/stat; null: the key is not there, or something else is behind it. */
export function numberAfter(text: string, key: string): number | null {
  const at = text.indexOf(key);
  if (at === -1) return null;
  const value = Number.parseInt(text.slice(at + key.length, at + key.length + 32), 10);
  return Number.isNaN(value) ? null : value;
}

/** The number that a file of /sys or /proc/sys consists of, hexadecimal with 0x; null: it is not there, or holds something else. */
export function numberIn(text: string | null): number | null {
  const trimmed = text?.trim() ?? '';
  const value = trimmed === '' ? Number.NaN : Number(trimmed);
  return Number.isFinite(value) ? value : null;
}
