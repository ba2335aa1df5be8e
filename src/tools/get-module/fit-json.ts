/** A list that was cut, and what it was cut to. */
export interface Cut {
  field: string;
  shown: number;
  total: number;
}

/** Leaves room for the rest of a result of 40 KB. */
export const maxBytes = 36_000;

/** Limits the lists in the data to this many entries, and fewer if the result would be too large. */
export function fitting(data: unknown, maxItems: number, bytes = maxBytes): { data: unknown; truncated: Cut[] } {
  for (let items = maxItems; ; items = Math.floor(items / 2)) {
    const cuts = new Map<string, Cut>();
    const cut = shorten(data, items, '', cuts);
    if (items <= 1 || Buffer.byteLength(JSON.stringify(cut) ?? '') <= bytes)
      return { data: cut, truncated: [...cuts.values()] };
  }
}

/** Of lists with the same name in the entries of another list, the longest is reported. */
function shorten(value: unknown, items: number, path: string, cuts: Map<string, Cut>): unknown {
  if (Array.isArray(value)) {
    const inside = `${path}[]`;
    const known = cuts.get(inside);
    if (value.length > items && (known === undefined || known.total < value.length))
      cuts.set(inside, { field: inside, shown: items, total: value.length });
    return value.slice(0, items).map((entry) => shorten(entry, items, inside, cuts));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      shorten(inner, items, path === '' ? key : `${path}.${key}`, cuts),
    ]),
  );
}
