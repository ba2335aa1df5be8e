/**
 * As `JSON.stringify`, which writes half of a surrogate pair as an escape: strict parsers, such as that of Home Assistant, refuse the whole
 * text. Names of other programs are cut anywhere, so they end with one.
 */
export function jsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  return text?.includes('\\ud') ? text.replace(halfPair, '$1\ufffd') : text;
}

/** Not after a backslash that is itself escaped. */
const halfPair = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
