import { isObject } from '../../lib/values.ts';

/**
 * An answer as text, for clients that show nothing else: compact JSON with everything in it, in which the names of a
 * list's fields stand once above its rows instead of in every entry. Clients that show both do not read it all twice.
 */
export function denseText(answer: Record<string, unknown>): string {
  return JSON.stringify(dense(answer));
}

/** Below this the names above would cost more than they save. */
const fewestRows = 3;

function dense(value: unknown): unknown {
  if (Array.isArray(value)) return asTable(value) ?? value.map(dense);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dense(inner)]));
}

/** null: its entries are not alike, so that a row would leave open what is what. */
function asTable(list: readonly unknown[]): { columns: string[]; rows: unknown[][] } | null {
  const [first] = list;
  if (list.length < fewestRows || !isObject(first)) return null;
  const columns = Object.keys(first);
  const rows = list.flatMap((entry) => (hasColumns(entry, columns) ? [Object.values(entry).map(dense)] : []));
  return rows.length === list.length && columns.length > 1 ? { columns, rows } : null;
}

function hasColumns(entry: unknown, columns: readonly string[]): entry is Record<string, unknown> {
  if (!isObject(entry)) return false;
  const keys = Object.keys(entry);
  return keys.length === columns.length && keys.every((key, index) => key === columns[index]);
}
