import { harmless } from './harmless-text.ts';

/** Columns padded to their widest cell; on a terminal the widest ones are cut until lines fit. */
export function table(head: string[], rows: string[][], { columns, ascii = false }: Width = { columns: null }): string {
  const lines = [head, ...rows].map((row) => row.map(plain));
  const widest = head.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  const widths = columns === null ? widest : fitted(widest, columns - gap * (head.length - 1));
  const mark = ascii ? '~' : '…';
  const cut = (cell: string, width: number) => (cell.length <= width ? cell : `${cell.slice(0, width - 1)}${mark}`);
  return lines
    .map((row) =>
      row
        .map((cell, column) => cut(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Of the screen; null: no terminal, so that nothing is cut. */
export interface Width {
  columns: number | null;
  ascii?: boolean;
}

const gap = 2;
/** Narrower ones say nothing any more: then lines are longer than the screen. */
const narrowest = 8;

function fitted(widest: readonly number[], room: number): number[] {
  const widths = [...widest];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; ) {
    const most = Math.max(...widths);
    if (most <= narrowest) return widths;
    const next = Math.max(narrowest, ...widths.filter((width) => width < most));
    const at = widths.indexOf(most);
    const less = Math.min(over, Math.max(1, most - next));
    widths[at] = most - less;
    over -= less;
  }
  return widths;
}

/** A payload for people: one line a value, nested ones indented, lists of objects as tables. */
export function outline(value: unknown, indent = '', screen: Width = { columns: null }): string {
  if (Array.isArray(value)) return outlineList(value, indent, screen);
  if (typeof value !== 'object' || value === null) return `${indent}${scalar(value)}`;
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.filter(([, inner]) => isScalar(inner)).map(([key]) => key.length));
  return entries
    .map(([key, inner]) =>
      isScalar(inner)
        ? `${indent}${key.padEnd(width)}  ${scalar(inner)}`
        : `${indent}${key}\n${outline(inner, `${indent}  `, screen)}`,
    )
    .join('\n');
}

function outlineList(list: unknown[], indent: string, screen: Width): string {
  if (list.length === 0) return `${indent}(none)`;
  const rows = list.filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null && !Array.isArray(entry),
  );
  const flat = rows.length === list.length && rows.every((row) => Object.values(row).every(isScalar));
  if (!flat)
    return list
      .map((entry) => (isScalar(entry) ? `${indent}${scalar(entry)}` : `${outline(entry, indent, screen)}\n`))
      .join('\n')
      .trimEnd();
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = table(
    columns,
    rows.map((row) => columns.map((column) => scalar(row[column]))),
    { ...screen, columns: screen.columns === null ? null : screen.columns - indent.length },
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
