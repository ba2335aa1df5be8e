import { toChartTime } from '../state/clock.ts';
import type { ComparedSeries } from '../state/compared-series.ts';
import { selectMoment } from '../state/range.ts';
import { celsius, momentOf, percent, rate } from '../units.ts';
import { TableHead } from './table-head.tsx';

/** Titles and units of the series that are compared, in their order. */
const rows: readonly [name: string, title: string, format: (value: number | null) => string][] = [
  ['cpu', 'Processor', percent],
  ['pressure.cpu', 'Waiting for a processor', percent],
  ['memory', 'Memory', percent],
  ['swap', 'Swap', percent],
  ['pressure.memory', 'Waiting for memory', percent],
  ['pressure.io', 'Waiting for disks', percent],
  ['disk.read', 'Read from disks', rate],
  ['disk.written', 'Written to disks', rate],
  ['network.received', 'Received', rate],
  ['network.sent', 'Sent', rate],
  ['cpu.temperature', 'Processor temperature', celsius],
];

/** The series to ask for. */
export const comparedNames: readonly string[] = rows.map(([name]) => name);

/** Means, the highest values, and the means of the time before. */
export function ComparedTable({ series, before }: { series: readonly ComparedSeries[]; before: string }) {
  return (
    <table class="phone-rows">
      <TableHead texts={['Reading']} figures={['Mean', before, 'Highest']} />
      <tbody>
        {rows.map(([name, title, format]) => {
          const one = series.find((each) => each.name === name);
          return one === undefined ? null : (
            <tr key={name}>
              <td>{title}</td>
              <td class="number" data-label="Mean">
                {format(one.mean)}
              </td>
              <td class="number quiet" data-label={before}>
                {format(one.before)}
              </td>
              <td class="number" data-label="Highest">
                {one.peak === null || one.peak.value === 0 ? (
                  '–'
                ) : (
                  <Peak peak={one.peak} text={format(one.peak.value)} />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The busiest processes and the events of that moment are one click away. */
export function Peak({ peak: { at }, text }: { peak: { at: number }; text: string }) {
  return (
    <button type="button" class="peak" onClick={() => selectMoment(at / 1000)}>
      {text} at {peakTime(at)}
    </button>
  );
}

/** With the day where it is not today. Unix milliseconds by the clock of the machine. */
export function peakTime(at: number): string {
  const time = toChartTime(at / 1000);
  return momentOf(time, 'minute', new Date(time * 1000).toDateString() !== new Date().toDateString());
}
