import { harmless } from '../host/terminal.ts';

/** Columns padded to their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows].map((row) => row.map(plain));
  const widths = head.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A payload for people: one line a value, nested ones indented, lists of objects as tables. */
export function outline(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return outlineList(value, indent);
  if (typeof value !== 'object' || value === null) return `${indent}${scalar(value)}`;
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.filter(([, inner]) => isScalar(inner)).map(([key]) => key.length));
  return entries
    .map(([key, inner]) =>
      isScalar(inner)
        ? `${indent}${key.padEnd(width)}  ${scalar(inner)}`
        : `${indent}${key}\n${outline(inner, `${indent}  `)}`,
    )
    .join('\n');
}

function outlineList(list: unknown[], indent: string): string {
  if (list.length === 0) return `${indent}(none)`;
  const rows = list.filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null && !Array.isArray(entry),
  );
  const flat = rows.length === list.length && rows.every((row) => Object.values(row).every(isScalar));
  if (!flat)
    return list
      .map((entry) => (isScalar(entry) ? `${indent}${scalar(entry)}` : `${outline(entry, indent)}\n`))
      .join('\n')
      .trimEnd();
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = table(
    columns,
    rows.map((row) => columns.map((column) => scalar(row[column]))),
  );
  return body
    .split('\n')
    .map((line) => `${indent}${line}`)
    .join('\n');
}

const isScalar = (value: unknown) =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0);

function scalar(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) ? '(none)' : plain(String(value));
}

/** Names of processes, files and songs come from outside: in a line of ours they neither end it nor steer the terminal. */
export const plain = (text: string) => harmless(text.replace(/[\t\n]/g, ' '));
