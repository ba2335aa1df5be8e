import type { CommandContext } from '../../core/command.ts';
import type { HistoryResult, HistorySeries } from '../../core/readings/history.ts';
import { plain } from '../../lib/text-table.ts';
import { recordedText } from '../../lib/units.ts';

const chartLines = 8;
const usualWidth = 80;
const maxWidth = 200;

/** Charts of what was recorded, then the busiest programs and the events. */
export function printHistory({ print, screen, table }: CommandContext, data: unknown): void {
  // The response of this service matches its schema.
  const result = data as HistoryResult;
  const { columns, ascii } = screen();
  const width = Math.min(columns ?? usualWidth, maxWidth);
  if (result.series.length === 0)
    print(result.recording ? 'Nothing was recorded yet' : 'Nothing is recorded: history.enabled is false');
  for (const one of result.series) {
    print(headingOf(one));
    for (const line of chartOf(one, { width, height: result.series.length > 3 ? 3 : chartLines, ascii })) print(line);
    print('');
  }
  print(`${timeOf(result.from)} to ${timeOf(result.to)}, a value every ${result.step} s`);
  if (result.programs.length > 0) {
    print('');
    table(['NAME', 'PROCESSES', 'CPU', 'MOST', 'MEMORY'], result.programs.map(programRow), { isWhole: true });
  }
  if (result.events.length > 0) {
    print('');
    table(
      ['TIME', 'KIND', 'EVENT'],
      result.events.map(({ at, kind, text }) => [timeOf(at), kind, text]),
      { isWhole: true },
    );
  }
}

function headingOf({ name, unit, mean, least, most }: HistorySeries): string {
  const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const means = known(mean);
  if (means.length === 0) return `${plain(name)}: nothing was recorded in this time`;
  const average = means.reduce((sum, value) => sum + value, 0) / means.length;
  const [low, high] = [Math.min(...known(least)), Math.max(...known(most))];
  return `${plain(name)}: mean ${amount(average, unit)}, from ${amount(low, unit)} to ${amount(high, unit)}`;
}

function programRow({ name, count, cpu, most_cpu, memory }: HistoryResult['programs'][number]): string[] {
  return [name, String(count), `${cpu} %`, `${most_cpu} %`, amount(memory, 'bytes')];
}

/** In the local time zone. Without Intl, whose tables take time to load. */
function timeOf(time: number): string {
  const moment = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(two).join('-');
  return `${date} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}

/** A chart of one series: block characters of an eighth of a line each, or ASCII. */
interface ChartOptions {
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
