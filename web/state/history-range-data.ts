import { effect, signal } from '@preact/signals';
import { chartAhead, toChartTime } from './clock.ts';
import { createHistory, type History, historyOf, mostLines } from './history.ts';
import { askPast } from './history-series.ts';
import { chartsOf, highestOf, type Past, type PastChart, shortRecord, valuesAt } from './past-charts.ts';
import { type Comparison, comparison, type Range, range, rangeEnd } from './range.ts';

/** Recorded data of the charts, for the current range. */
const ranged = new Map<string, History>();
/** The events and busy processes of that range. null: not loaded, or not recorded. */
export const past = signal<{ range: string; data: Past } | null>(null);
/** Whether the service answered without data. */
export const pastMissing = signal(false);

export function shownHistory(name: string): History {
  if (range.value.refreshMs === null) return historyOf(name);
  const history = ranged.get(name) ?? createHistory();
  ranged.set(name, history);
  return history;
}

/** Where the charts end, Unix seconds by the clock of the browser. */
export const chartEnd = () => (rangeEnd.value === null ? Date.now() / 1000 : toChartTime(rangeEnd.value));

/** Runs while a session exists. Returns a function that stops it. */
export function followRange(): () => void {
  const stop = effect(() => {
    const wanted = wantedNow();
    const { refreshMs } = wanted.range;
    // Live charts need the events only; they are loaded after the page.
    const timers = [
      setTimeout(() => void load(wanted), refreshMs === null ? 1500 : 0),
      setInterval(() => {
        if (!document.hidden && wanted.end === null) void load(wanted);
      }, refreshMs ?? 30_000),
    ];
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  });
  return () => {
    stop();
    ranged.clear();
    past.value = null;
  };
}

interface Wanted {
  range: Range;
  end: number | null;
  comparison: Comparison | null;
}

const wantedNow = (): Wanted => ({ range: range.value, end: rangeEnd.value, comparison: comparison.value });

/** The highest moment of a chart between two times, Unix seconds by the clock of the machine; null: not recorded. */
export async function highestWithin(name: string, from: number, to: number): Promise<number | null> {
  const data = await askPast({ from: Math.round(from * 1000), to: Math.round(to * 1000) });
  const chart = data === null ? undefined : chartsOf(data, chartAhead.peek(), Date.now()).get(name);
  const peak = chart === undefined ? null : highestOf(shownLines(chart).map(([, line]) => line));
  return peak === null ? null : peak.at / 1000;
}

async function load(wanted: Wanted): Promise<void> {
  const { id, seconds, refreshMs } = wanted.range;
  if (refreshMs === null) return await loadEvents(wanted);
  const to = wanted.end === null ? {} : { to: wanted.end * 1000 };
  let data = await askPast(wanted.end === null ? { last: id } : { from: (wanted.end - seconds) * 1000, ...to });
  // A record of a day is a few pixels of a month: the charts show its own time, in finer steps.
  const since = data === null ? null : shortRecord(data);
  if (since !== null) data = await askPast({ from: since, ...to });
  const earlier = data === null ? null : await loadEarlier(data, wanted);
  if (isOutdated(wanted)) return;
  pastMissing.value = data === null || (data.series.length === 0 && !data.recording);
  if (data === null) return;
  past.value = { range: id, data };
  for (const [name, chart] of chartsOf(data, chartAhead.peek(), Date.now()))
    fill(name, chart, since !== null, earlier?.get(name), wanted.comparison);
}

async function loadEvents(wanted: Wanted): Promise<void> {
  const data = await askPast({ last: '24h', step: 3600, series: ['cpu', 'memory'] });
  if (isOutdated(wanted)) return;
  pastMissing.value = data === null || (data.series.length === 0 && !data.recording);
  if (data !== null) past.value = { range: wanted.range.id, data };
}

async function loadEarlier(
  { from, to, step }: Past,
  { comparison: other }: Wanted,
): Promise<Map<string, PastChart> | null> {
  if (other === null) return null;
  const data = await askPast({ from: from - other.seconds * 1000, to: to - other.seconds * 1000, step });
  return data === null ? null : chartsOf(data, chartAhead.peek(), Date.now());
}

function isOutdated({ range: { id }, end, comparison: other }: Wanted): boolean {
  return range.peek().id !== id || rangeEnd.peek() !== end || comparison.peek() !== other;
}

const shownLines = ({ lines }: PastChart) => [...lines].slice(0, mostLines);

function fill(
  name: string,
  chart: PastChart,
  isShort: boolean,
  earlier: PastChart | undefined,
  other: Comparison | null,
): void {
  const { times, step } = chart;
  const history = ranged.get(name) ?? createHistory();
  ranged.set(name, history);
  const chosen = shownLines(chart);
  const lines = chosen.map(([, line]) => line);
  const known = lines.map(({ mean }) => mean.findIndex((value) => value !== null)).filter((place) => place !== -1);
  const before = history.recorded?.compared?.title;
  history.data = [times, ...lines.map(({ mean }) => mean)];
  history.recorded = {
    step,
    bands: lines.map(({ least, most }) => [least, most]),
    compared:
      other === null
        ? null
        : {
            title: other.title,
            lines: chosen.map(([line]) => earlierValues(earlier, line, times, other.seconds)),
          },
    peak: highestOf(lines),
    since: isShort ? (times[Math.min(...known)] ?? null) : null,
  };
  const names = chosen.map(([line]) => line);
  // Another list, because a chart with a comparison has other lines.
  if (names.join('\n') !== history.names.peek().join('\n') || before !== history.recorded.compared?.title)
    history.names.value = names;
  history.version.value = history.version.peek() + 1;
}

const earlierValues = (earlier: PastChart | undefined, line: string, times: readonly number[], seconds: number) =>
  earlier === undefined
    ? times.map(() => null)
    : valuesAt(
        earlier,
        earlier.lines.get(line),
        times.map((time) => time - seconds),
      );
