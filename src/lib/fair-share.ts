/** Where there is no room for all: the first of those whose owner has most of them, so that nobody pushes out others by being many. */
export function firstOfMost<T>(those: Iterable<T>, ownerOf: (one: T) => string): T | undefined {
  const byOwner = Map.groupBy(those, ownerOf);
  let most: T[] = [];
  for (const owned of byOwner.values()) if (owned.length > most.length) most = owned;
  return most[0];
}
