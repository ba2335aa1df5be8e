import { toMachineTime } from './clock.ts';
import { type ComparedSeries, comparedSeries, hourSeconds, timeBefore } from './compared-series.ts';
import { askPast } from './history-series.ts';
import { useLoaded } from './loaded.ts';
import type { Past } from './past-charts.ts';
import { range, rangeEnd } from './range.ts';

/** What was recorded in a time, beside the time before it. */
export interface ComparedPast {
  past: Past;
  series: ComparedSeries[];
}

const refreshMs = 30_000;

/** The time the page shows: `liveSeconds` until now while its charts are live. Unix milliseconds by the clock of the machine. */
function shownTime(liveSeconds: number): { from: number; to: number } {
  const { seconds, refreshMs: recorded } = range.value;
  const to = Math.round((rangeEnd.value ?? toMachineTime(Date.now() / 1000)) * 1000);
  return { from: to - (recorded === null ? liveSeconds : seconds) * 1000, to };
}

/** Refreshed while it is shown. null: not loaded yet; `asked`: there was an answer, or none will come. */
export function useCompared(
  series: readonly string[],
  liveSeconds: number,
): { compared: ComparedPast | null; asked: boolean } {
  const load = async (): Promise<ComparedPast | null> => {
    const { from, to } = shownTime(liveSeconds);
    const [past, before] = await Promise.all([
      askPast({ from, to, series }),
      askPast({ ...timeBefore(from, to), series, step: hourSeconds }),
    ]);
    return past === null ? null : { past, series: comparedSeries(past, before) };
  };
  const everyMs = rangeEnd.value === null ? { everyMs: refreshMs } : {};
  const { data: compared, asked } = useLoaded(load, { ...everyMs, on: [range.value, rangeEnd.value] });
  return { compared, asked };
}
