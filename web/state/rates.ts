export type Counts = [number, number];
/** A busy machine sends late; the mean of more than a minute would be drawn as one moment. */
const longestMs = 60_000;
export type Rates = [number | null, number | null];

/**
 * Rates per second of counters; null over a gap or a restart. Nothing is reported if the same
 * payload arrives again, which happens when another client begins to listen.
 */
export function createRates(
  usualMs: number,
): (counts: ReadonlyMap<string, Counts>, report: (name: string, rates: Rates) => void) => void {
  let last: { counts: ReadonlyMap<string, Counts>; at: number } | null = null;
  return (counts, report) => {
    const at = performance.now();
    const before = last;
    const passed = at - (before?.at ?? 0);
    const same = before !== null && [...counts].every(([name, pair]) => isSame(pair, before.counts.get(name)));
    if (before !== null && passed < (same ? usualMs * 0.75 : 200)) return;
    last = { counts, at };
    for (const [name, pair] of counts) {
      const known = before?.counts.get(name);
      const [one, two] = known === undefined ? [-1, -1] : [pair[0] - known[0], pair[1] - known[1]];
      const isKnown = passed < longestMs && one >= 0 && two >= 0;
      report(name, isKnown ? [(one * 1000) / passed, (two * 1000) / passed] : [null, null]);
    }
  };
}

const isSame = (pair: Counts, other: Counts | undefined) => pair[0] === other?.[0] && pair[1] === other[1];
