import type { Requests } from '@hostler/client/events.ts';

export type Past = Requests['GET_HISTORY']['result'];
type PastSeries = Past['series'][number];

/** What the charts show, by the names of the recorded series. Of `network.received/eth0` the line is of the chart `network/eth0`. */
const lines: Record<string, [chart: string, line: string]> = {
  cpu: ['cpu', 'Usage'],
  memory: ['memory', 'Memory'],
  swap: ['memory', 'Swap'],
  'network.received': ['network', 'Received'],
  'network.sent': ['network', 'Sent'],
  'disk.read': ['disk', 'Read'],
  'disk.written': ['disk', 'Written'],
  'pressure.cpu': ['pressure', 'Processor'],
  'pressure.memory': ['pressure', 'Memory'],
  'pressure.io': ['pressure', 'Disks'],
};

/** Charts with a line for each of something. */
const families: Record<string, string> = { temperature: 'temperatures', gpu: 'gpus', cpu: 'cores' };

export const chartedSeries: readonly string[] = Object.keys(lines);

export interface PastChart {
  /** When the first step begins, Unix seconds by the clock of this browser. */
  begin: number;
  /** Unix seconds by the clock of this browser: the middle of each step. */
  times: number[];
  /** Length of a step, seconds. */
  step: number;
  lines: Map<string, PastLine>;
}

export type PastLine = Pick<PastSeries, 'mean' | 'least' | 'most' | 'peak'>;

/** `aheadMs`: offset of the machine's clock to the browser's. */
export function chartsOf({ from, step, series }: Past, aheadMs: number, nowMs: number): Map<string, PastChart> {
  const begin = (from - aheadMs) / 1000;
  const charts = new Map<string, PastChart>();
  for (const { name, ...values } of series) {
    const [chart, line] = placeOf(name) ?? [];
    if (chart === undefined || line === undefined) continue;
    const known = charts.get(chart) ?? {
      begin,
      // The current step has not ended: its middle may be later than now.
      times: values.mean.map((_, index) => Math.min(nowMs / 1000, begin + (index + 0.5) * step)),
      step,
      lines: new Map(),
    };
    known.lines.set(line, values);
    charts.set(chart, known);
  }
  const temperatures = charts.get('temperatures');
  if (temperatures !== undefined) temperatures.lines = warmestFirst(temperatures.lines);
  return charts;
}

/** Values of an earlier chart at the times of a later one. Its steps may be longer. */
export function valuesAt(
  { begin, step }: PastChart,
  line: PastLine | undefined,
  times: readonly number[],
): PastLine['mean'] {
  return times.map((time) => line?.mean[Math.floor((time - begin) / step)] ?? null);
}

/** The highest of several lines; null: nothing was recorded. */
export const highestOf = (all: readonly PastLine[]): PastLine['peak'] =>
  all.reduce<PastLine['peak']>(
    (most, { peak }) => (peak !== null && peak.value > (most?.value ?? 0) ? peak : most),
    null,
  );

/** When the record begins, Unix milliseconds, if it covers less than a quarter of the range; null: it covers more, or nothing. */
export function shortRecord({ from, step, series }: Past): number | null {
  const length = series[0]?.mean.length ?? 0;
  const first = series.reduce((least, { mean }) => {
    const place = mean.findIndex((value) => value !== null);
    return place === -1 ? least : Math.min(least, place);
  }, length);
  return first < length && first > length * 0.75 ? from + first * step * 1000 : null;
}

/** Unconnected inputs read zero or less and are omitted. */
function warmestFirst(lines: ReadonlyMap<string, PastLine>): Map<string, PastLine> {
  const most = ({ most: values }: PastLine) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
  return new Map([...lines].filter(([, line]) => most(line) > 0).toSorted(([, a], [, b]) => most(b) - most(a)));
}

function placeOf(series: string): [chart: string, line: string] | null {
  const slash = series.indexOf('/');
  if (series.startsWith('custom.')) return [series, 'Value'];
  if (slash === -1) return lines[series] ?? null;
  const [base, device] = [series.slice(0, slash), series.slice(slash + 1)];
  const family = families[base];
  if (family !== undefined) return [family, device];
  const [chart, line] = lines[base] ?? [];
  return chart === undefined || line === undefined ? null : [`${chart}/${device}`, line];
}
