import { type DnsRecord, nameKey, recordKey } from './dns.ts';

/**
 * Whether we lose the tie-break of simultaneous probes against these records. RFC 6762, 8.2:
 * the records of a name are compared in order, and the later ones win.
 */
export function losesAgainst(
  mine: readonly DnsRecord[],
  theirs: readonly DnsRecord[],
  ours: ReadonlySet<string>,
): boolean {
  const foreign = theirs.filter((record) => !ours.has(recordKey(record)));
  return [...byName(mine)].some(([key, own]) => {
    const other = byName(foreign).get(key);
    return other !== undefined && order(own, other) < 0;
  });
}

function byName(records: readonly DnsRecord[]): Map<string, DnsRecord[]> {
  return Map.groupBy(records, ({ name }) => nameKey(name));
}

function order(a: readonly DnsRecord[], b: readonly DnsRecord[]): number {
  const first = [...a].sort(compare);
  const second = [...b].sort(compare);
  for (const [index, record] of first.entries()) {
    const other = second[index];
    if (other === undefined) return 1;
    const difference = compare(record, other);
    if (difference !== 0) return difference;
  }
  return first.length - second.length;
}

const compare = (a: DnsRecord, b: DnsRecord) => a.type - b.type || Buffer.compare(a.data, b.data);
