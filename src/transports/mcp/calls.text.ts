import { isObject } from '../../lib/values.ts';

/**
 * A result as text, for clients that show nothing else: compact and complete JSON, in which the field names of a
 * list appear once above its rows instead of in every entry. Clients that show both do not read everything twice.
 */
export function denseText(answer: Record<string, unknown>): string {
  return JSON.stringify(dense(answer));
}

/** Below this the field names would cost more than they save. */
const fewestRows = 3;

function dense(value: unknown): unknown {
  if (Array.isArray(value)) return asTable(value) ?? value.map(dense);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dense(inner)]));
}

/** null: the entries differ in their fields, so a row would be ambiguous. */
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
