import type { Requests } from '@hostler/client/events.ts';
import { ask } from './session.ts';

export type Past = Requests['GET_HISTORY']['result'];

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

/** Series that every page needs. Those of cores are loaded where they are shown. */
const asked = [...Object.keys(lines), 'network*', 'disk*', 'temperature/*', 'gpu/*', 'custom.*'];

export interface PastChart {
  /** Unix seconds by the clock of this browser. */
  times: number[];
  lines: Map<string, PastLine>;
}

export interface PastLine {
  mean: (number | null)[];
  least: (number | null)[];
  most: (number | null)[];
}

export interface PastQuery {
  last?: string | number;
  from?: number;
  to?: number;
  step?: number;
  series?: readonly string[];
}

/** The recorded history; null: no answer, or this session may not see it. */
export async function askPast({ series = asked, ...rest }: PastQuery): Promise<Past | null> {
  const given = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]);
  const query = new URLSearchParams([['series', series.join()], ...given]);
  try {
    const response = await ask(`/api/history?${query}`);
    return response.ok ? await response.json() : null;
  } catch {
    // The charts begin empty then, as they do without a record.
    return null;
  }
}

/** Clocks of two machines may differ; less than a minute moves nothing on the chart. */
const sameClockMs = 60_000;

/** Offset of the browser's clock to the machine's, milliseconds. */
export const shiftOf = ({ to }: Past, now: number) => (Math.abs(now - to) < sameClockMs ? 0 : now - to);

export function chartsOf(past: Past, shift: number): Map<string, PastChart> {
  const { from, step, series } = past;
  const charts = new Map<string, PastChart>();
  for (const { name, ...values } of series) {
    const [chart, line] = placeOf(name) ?? [];
    if (chart === undefined || line === undefined) continue;
    const known = charts.get(chart) ?? {
      times: values.mean.map((_, index) => (from + shift) / 1000 + (index + 1) * step),
      lines: new Map(),
    };
    known.lines.set(line, values);
    charts.set(chart, known);
  }
  const temperatures = charts.get('temperatures');
  if (temperatures !== undefined) temperatures.lines = warmestFirst(temperatures.lines);
  return charts;
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
