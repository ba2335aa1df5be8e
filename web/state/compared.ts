import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toMachineTime } from './clock.ts';
import { type ComparedSeries, comparedSeries, hourSeconds, timeBefore } from './compared-series.ts';
import { askPast } from './history-series.ts';
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
  step?: number,
): { compared: ComparedPast | null; asked: boolean } {
  const compared = useSignal<ComparedPast | null>(null);
  const asked = useSignal(false);
  useEffect(() => {
    let over = false;
    const load = async () => {
      const data = await compareWithBefore(series, shownTime(liveSeconds), step);
      if (over) return;
      asked.value = true;
      if (data !== null) compared.value = data;
    };
    void load();
    const timer = setInterval(() => {
      if (!document.hidden && rangeEnd.peek() === null) void load();
    }, refreshMs);
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [range.value, rangeEnd.value]);
  return { compared: compared.value, asked: asked.value };
}

async function compareWithBefore(
  series: readonly string[],
  { from, to }: { from: number; to: number },
  step?: number,
): Promise<ComparedPast | null> {
  const [past, before] = await Promise.all([
    askPast({ from, to, series, ...(step === undefined ? {} : { step }) }),
    askPast({ ...timeBefore(from, to), series, step: hourSeconds }),
  ]);
  return past === null ? null : { past, series: comparedSeries(past, before) };
}
