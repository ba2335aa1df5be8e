/** Texts sorted in one slice. */
const run = 2048;

/** Sorts by UTF-16 code units, as work for `inSlices`. */
export function* sorted(texts: readonly string[]): Generator<void, string[]> {
  let runs: string[][] = [];
  for (let start = 0; start < texts.length; start += run) {
    runs.push(texts.slice(start, start + run).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const merging = createMerge(runs[index] ?? [], runs[index + 1] ?? []);
      while (!merging.advance()) yield;
      merged.push(merging.merged);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Not a generator, because the runtime does not optimise those. */
function createMerge(left: string[], right: string[]) {
  const merged: string[] = [];
  let l = 0;
  let r = 0;
  return {
    merged,
    /** true: complete. */
    advance(): boolean {
      for (let step = 0; step < run; step += 1) {
        const a = left[l];
        const b = right[r];
        if (a === undefined && b === undefined) return true;
        if (a === undefined || (b !== undefined && b < a)) {
          if (b !== undefined) merged.push(b);
          r += 1;
        } else {
          merged.push(a);
          l += 1;
        }
      }
      return false;
    },
  };
}
