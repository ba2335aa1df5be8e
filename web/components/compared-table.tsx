import { toChartTime } from '../state/clock.ts';
import type { ComparedSeries } from '../state/compared-series.ts';
import { selectMoment } from '../state/range.ts';
import { celsius, momentOf, percent, rate } from '../units.ts';
import { Table } from './table.tsx';

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

export const comparedNames: readonly string[] = rows.map(([name]) => name);

export function ComparedTable({ series, before }: { series: readonly ComparedSeries[]; before: string }) {
  const known = rows.flatMap(([name, title, format]) =>
    series.filter((each) => each.name === name).map((each) => ({ ...each, title, format })),
  );
  return (
    <Table
      class="phone-rows"
      rows={known}
      rowKey={({ name }) => name}
      columns={[
        { title: 'Reading', show: ({ title }) => title },
        { title: 'Mean', kind: 'number', show: ({ format, mean }) => format(mean) },
        { title: before, kind: 'number quiet', show: (row) => row.format(row.before) },
        {
          title: 'Highest',
          kind: 'number',
          show: ({ format, peak }) => (peak?.value ? <Peak peak={peak} text={format(peak.value)} /> : '–'),
        },
      ]}
    />
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
