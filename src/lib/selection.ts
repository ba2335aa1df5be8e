/** Which part of an answer is requested: these fields, and this many entries of each list. null: all. */
export interface WantedPart {
  /** Each is a path; it applies to each entry of a list. */
  fields: readonly (readonly string[])[] | null;
  limit: number | null;
}

/** `usage,devices.name` → two paths. Empty names are left out. */
export function pathsIn(text: string): string[][] {
  return text
    .split(',')
    .map((field) => field.trim().split('.').filter(Boolean))
    .filter((path) => path.length > 0);
}

export function select(value: unknown, { fields, limit }: WantedPart): unknown {
  const narrowed = fields === null ? value : pick(value, fields);
  return limit === null ? narrowed : shorten(narrowed, limit);
}

function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, paths));
  if (typeof value !== 'object' || value === null || paths.some((path) => path.length === 0)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const deeper = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
      return deeper.length === 0 ? [] : [[key, pick(inner, deeper)]];
    }),
  );
}

function shorten(value: unknown, limit: number): unknown {
  if (Array.isArray(value)) return value.slice(0, limit).map((entry) => shorten(entry, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner, limit)]));
}
