import type { CliContext } from '../../cli/context.ts';
import { plain, table } from '../../cli/output.ts';
import { requireService } from '../../cli/running-service.ts';
import type { HistoryAnswer, HistorySeries } from '../../core/readings/history.ts';
import { amount, chartOf } from './history.cli.chart.ts';

export interface HistoryFlags {
  last?: string;
  from?: string;
  to?: string;
  step?: string;
  json?: boolean;
}

const chartLines = 8;
const usualWidth = 80;
const maxWidth = 200;

/** Charts of what was recorded, then who was busy and what happened. */
export async function printHistory(
  { host, print, command, screen }: CliContext,
  series: string[],
  { json = false, ...times }: HistoryFlags,
): Promise<void> {
  const service = await requireService({ host, command });
  const { data } = await service.perform('history.get', { series: series.join(','), ...times });
  // What this service answers is what its schema promises.
  const answer = data as HistoryAnswer;
  if (json) return print(JSON.stringify(answer, null, 2));
  const { columns, ascii } = screen();
  const width = Math.min(columns ?? usualWidth, maxWidth);
  if (answer.series.length === 0)
    print(answer.recording ? 'Nothing was recorded yet' : 'Nothing is recorded: history.enabled is false');
  for (const one of answer.series) {
    print(headingOf(one));
    // In a pipe somebody wants the numbers: they are in --json.
    for (const line of chartOf(one, { width, height: answer.series.length > 3 ? 3 : chartLines, ascii })) print(line);
    print('');
  }
  print(`${timeOf(answer.from)} to ${timeOf(answer.to)}, a value every ${answer.step} s`);
  printProcesses(answer, print);
  if (answer.events.length > 0) {
    print('');
    print(
      table(
        ['TIME', 'KIND', 'EVENT'],
        answer.events.map(({ at, kind, text }) => [timeOf(at), kind, text]),
      ),
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

function printProcesses({ processes }: HistoryAnswer, print: (line: string) => void): void {
  if (processes.length === 0) return;
  print('');
  print(
    table(
      ['PID', 'NAME', 'CPU', 'MOST', 'MEMORY'],
      processes.map(({ pid, name, cpu, most_cpu, memory }) => [
        String(pid),
        name,
        `${cpu} %`,
        `${most_cpu} %`,
        amount(memory, 'bytes'),
      ]),
    ),
  );
}

/** In the time zone of whoever looks. Without Intl, whose tables take their time to load. */
function timeOf(time: number): string {
  const moment = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(two).join('-');
  return `${date} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}
