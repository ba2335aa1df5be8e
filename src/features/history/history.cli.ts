import type { CommandContext } from '../../core/command.ts';
import type { HistoryResult, HistorySeries } from '../../core/readings/history.ts';
import { plain } from '../../lib/text-table.ts';
import { amount, chartOf } from './history.cli.chart.ts';

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
