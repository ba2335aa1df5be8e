/** Maximum length of a description; the longest known ones have a quarter of that. */
export const longestCapabilities = 4096;

/**
 * The features that a monitor lists, with the values of each where given: `(prot(monitor)vcp(02 10 60(0F 11 12) D6(01 04)))`.
 * Unparsable parts are left out: many descriptions are malformed, and some are truncated.
 */
export function parseCapabilities(text: string): ReadonlyMap<number, readonly number[] | null> {
  const features = new Map<number, number[] | null>();
  const [, list = ''] = /vcp\s*\(([\s\S]*)$/i.exec(text.slice(0, longestCapabilities)) ?? [];
  let depth = 0;
  let last: number | null = null;
  for (const [token] of list.matchAll(/[()]|[0-9a-f]+/gi)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth <= 1)
      for (const value of bytesIn(token)) {
        if (depth === 0) {
          last = value;
          if (!features.has(value)) features.set(value, null);
        } else if (last !== null) {
          const known: number[] = features.get(last) ?? [];
          if (!known.includes(value)) features.set(last, [...known, value]);
        }
      }
    if (depth < 0) break;
  }
  return features;
}

/** Some leave out the blanks. */
function bytesIn(token: string): number[] {
  return token.length % 2 === 1 ? [] : (token.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}
