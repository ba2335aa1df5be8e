/** Entries of a list by key: an unchanged one is the same object as before, so that it is serialised once. */
export function createUnchangedEntries<E extends object>(): (
  entries: readonly (readonly [key: string, entry: E])[],
) => E[] {
  let known = new Map<string, E>();
  return (entries) => {
    known = new Map(
      entries.map(([key, entry]) => {
        const last = known.get(key);
        return [key, last !== undefined && isSame(last, entry) ? last : entry];
      }),
    );
    return [...known.values()];
  };
}

const isSame = <E extends object>(last: E, next: E) =>
  (Object.keys(next) as (keyof E)[]).every((field) => last[field] === next[field]);
