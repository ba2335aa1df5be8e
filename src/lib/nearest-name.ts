/** The known name that was probably meant; null: none is similar. */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = name.toLowerCase();
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    // At most one letter in four may differ.
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 4));
    const distance = editDistance(wanted, candidate.toLowerCase(), allowed);
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name ?? null;
}

/** Counts missing, additional, wrong and swapped letters, up to `most`. */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
