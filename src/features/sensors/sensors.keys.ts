/** Identifies a sensor: chip, place, and its label or else its channel. */
export function keyOf(...parts: string[]): string {
  return parts
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^\w.:-]+/g, '_')
        .replace(/^_+|_+$/g, ''),
    )
    .filter((part) => part !== '')
    .join('_');
}

/** Names for the channels of one chip: labels, if unique. */
export function channelNames(channels: { name: string; label: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { label } of channels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return channels.map(({ name, label }) => {
    if (label === '') return name;
    return counts.get(label) === 1 ? label : `${label} ${name}`;
  });
}

/** Numbers duplicates, so that none hides another. */
export function withUniqueKeys<T extends { key: string }>(entries: T[]): T[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const count = (seen.get(entry.key) ?? 0) + 1;
    seen.set(entry.key, count);
    return count === 1 ? entry : { ...entry, key: `${entry.key}_${count}` };
  });
}
