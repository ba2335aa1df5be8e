import type { HistorySeries } from '../../core/readings/history.ts';
import { plain } from '../../lib/text-table.ts';
import { recordedText } from '../../lib/units.ts';

/** A chart of one series: block characters of an eighth of a line each, or ASCII. */
export interface ChartOptions {
  width: number;
  height: number;
  /** Uses ASCII characters only. */
  ascii: boolean;
}

const eighths = ' ▁▂▃▄▅▆▇█';

export function chartOf(
  { mean, most, unit }: Pick<HistorySeries, 'mean' | 'most' | 'unit'>,
  { width, height, ascii }: ChartOptions,
): string[] {
  const highest = Math.max(0, ...most.filter((value) => value !== null));
  // Percentages fill the chart at 100, unless a value exceeds that.
  const top = unit === 'percent' ? Math.max(100, highest) : highest || 1;
  const bottom = Math.min(0, ...mean.filter((value) => value !== null));
  const labels = [amount(top, unit), amount(bottom, unit)];
  const margin = Math.max(...labels.map((label) => label.length));
  const columns = spread(mean, Math.max(10, width - margin - 2));
  return Array.from({ length: height }, (_, row) => {
    const label = (row === 0 ? labels[0] : row === height - 1 ? labels[1] : '') ?? '';
    const line = columns
      .map((value) => cell(value === null ? null : value - bottom, top - bottom, height - row - 1, height, ascii))
      .join('');
    return `${label.padStart(margin)} ${ascii ? '|' : '│'}${line}`.trimEnd();
  });
}

function cell(value: number | null, top: number, floor: number, height: number, ascii: boolean): string {
  // A gap has no base line.
  if (value === null) return ' ';
  const filled = (value / top) * height - floor;
  if (ascii) return filled >= 0.5 ? '#' : floor === 0 ? '_' : ' ';
  const level = Math.max(floor === 0 ? 1 : 0, Math.min(8, Math.round(filled * 8)));
  return eighths[level] ?? ' ';
}

/** One value per column: several are joined, or one repeated. */
export function spread(values: readonly (number | null)[], width: number): (number | null)[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
    const known = values.slice(from, to).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

export const amount = (value: number, unit: HistorySeries['unit']): string => recordedText(value, plain(unit), rounded);

function rounded(value: number, digits: number | undefined): number {
  if (digits === undefined && Math.abs(value) >= 1e6) return Number(value.toPrecision(4));
  const factor = 10 ** (digits ?? 2);
  return Math.round(value * factor) / factor;
}
