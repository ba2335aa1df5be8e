import { setChartClock } from './clock.ts';
import { chartedSeries, type Past } from './past-charts.ts';
import { ask } from './session.ts';

/** Series that every page needs. Those of cores are loaded where they are shown. */
const asked = [...chartedSeries, 'network*', 'disk.read/*', 'disk.written/*', 'temperature/*', 'gpu/*', 'custom.*'];

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
    setChartClock(Date.parse(response.headers.get('Date') ?? ''));
    return response.ok ? await response.json() : null;
  } catch {
    // The charts begin empty then, as they do without a record.
    return null;
  }
}
