type Counts = [number, number];
export type Rates = [number | null, number | null];

/**
 * Numbers that only grow, as what they grew by a second; null over a gap or a restart. Nothing is told where the same
 * payload came again, as it does when somebody else begins to listen.
 */
export function createRates(
  usualMs: number,
): (counts: ReadonlyMap<string, Counts>, tell: (name: string, rates: Rates) => void) => void {
  let last: { counts: ReadonlyMap<string, Counts>; at: number } | null = null;
  return (counts, tell) => {
    const at = performance.now();
    const before = last;
    const passed = at - (before?.at ?? 0);
    const same = before !== null && [...counts].every(([name, pair]) => isSame(pair, before.counts.get(name)));
    if (before !== null && passed < (same ? usualMs * 0.75 : 200)) return;
    last = { counts, at };
    for (const [name, pair] of counts) {
      const known = before?.counts.get(name);
      const [one, two] = known === undefined ? [-1, -1] : [pair[0] - known[0], pair[1] - known[1]];
      const isKnown = passed < 3 * usualMs + 10_000 && one >= 0 && two >= 0;
      tell(name, isKnown ? [(one * 1000) / passed, (two * 1000) / passed] : [null, null]);
    }
  };
}

const isSame = (pair: Counts, other: Counts | undefined) => pair[0] === other?.[0] && pair[1] === other[1];
