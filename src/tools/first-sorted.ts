/** The first entries of a list in this order, as a stable sort has them, without sorting the rest. */
export function firstSorted<T>(list: readonly T[], count: number, order: (a: T, b: T) => number): T[] {
  if (count > fewest) return list.toSorted(order).slice(0, count);
  const first: T[] = [];
  for (const entry of list) {
    const last = first[count - 1];
    if (last !== undefined && order(last, entry) <= 0) continue;
    let at = first.length;
    for (let before = first[at - 1]; before !== undefined && order(before, entry) > 0; before = first[at - 1]) at -= 1;
    first.splice(at, 0, entry);
    if (first.length > count) first.pop();
  }
  return first;
}

/** Above this, sorting is cheaper. */
const fewest = 200;
