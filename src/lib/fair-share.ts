/** Which entry to drop when there is no room: the first of the owner with most entries, so that no owner displaces the others. */
export function firstOfMost<T>(those: Iterable<T>, ownerOf: (one: T) => string): T | undefined {
  const byOwner = Map.groupBy(those, ownerOf);
  let most: T[] = [];
  for (const owned of byOwner.values()) if (owned.length > most.length) most = owned;
  return most[0];
}
