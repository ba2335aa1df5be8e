import type { Requests } from '../../src/client/events.ts';
import { ask } from './session.ts';

type Past = Requests['GET_HISTORY']['result'];

/** What the charts show, by the names of the recorded series. */
const lines: Record<string, [chart: string, line: string]> = {
  cpu: ['cpu', 'Usage'],
  memory: ['memory', 'Memory'],
  swap: ['memory', 'Swap'],
  'network.received': ['network', 'Received'],
  'network.sent': ['network', 'Sent'],
  'disk.read': ['disk', 'Read'],
  'disk.written': ['disk', 'Written'],
};

export interface PastChart {
  /** Unix seconds by the clock of this browser. */
  times: number[];
  lines: Map<string, (number | null)[]>;
}

/** The last minutes as the service has recorded them; empty where it does not, or this session may not see them. */
export async function loadPast(seconds: number): Promise<Map<string, PastChart>> {
  const asked = new URLSearchParams({ series: Object.keys(lines).join(), last: String(seconds), step: '15' });
  try {
    const response = await ask(`/api/history?${asked}`);
    return response.ok ? chartsOf(await response.json(), Date.now()) : new Map();
  } catch {
    // The charts begin empty then, as they do without a record.
    return new Map();
  }
}

/** Clocks of two machines may differ; less than a minute moves nothing on the chart. */
const sameClockMs = 60_000;

function chartsOf({ from, to, step, series }: Past, now: number): Map<string, PastChart> {
  const shift = Math.abs(now - to) < sameClockMs ? 0 : now - to;
  const charts = new Map<string, PastChart>();
  for (const { name, mean } of series) {
    const [chart, line] = lines[name] ?? [];
    if (chart === undefined || line === undefined) continue;
    const times = mean.map((_, index) => (from + shift) / 1000 + (index + 1) * step);
    const known = charts.get(chart) ?? { times, lines: new Map() };
    known.lines.set(line, mean);
    charts.set(chart, known);
  }
  return charts;
}
