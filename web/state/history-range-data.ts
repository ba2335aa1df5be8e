import { effect, signal } from '@preact/signals';
import { createHistory, type History, historyOf } from './history.ts';
import { askPast, chartsOf, type Past, type PastChart, shiftOf } from './history-series.ts';
import { range } from './range.ts';

/** Recorded data of the charts, for the current range. */
const ranged = new Map<string, History>();
/** The events and busy processes of that range. null: not loaded, or not recorded. */
export const past = signal<{ range: string; data: Past } | null>(null);
/** Whether the service answered without data. */
export const pastMissing = signal(false);
const mostLines = 6;

/** The current data of a chart. */
export function shownHistory(name: string): History {
  if (range.value.refreshMs === null) return historyOf(name);
  const history = ranged.get(name) ?? createHistory();
  ranged.set(name, history);
  return history;
}

/** Runs while a session exists. Returns a function that stops it. */
export function followRange(): () => void {
  const stop = effect(() => {
    const { id, refreshMs } = range.value;
    // Live charts need the events only; they are loaded after the page.
    const timers = [
      setTimeout(() => void load(id, refreshMs === null), refreshMs === null ? 1500 : 0),
      setInterval(() => {
        if (!document.hidden) void load(id, refreshMs === null);
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

async function load(id: string, eventsOnly: boolean): Promise<void> {
  const query = eventsOnly ? { last: '24h', step: 3600, series: ['cpu', 'memory'] } : { last: id };
  const data = await askPast(query);
  if (range.peek().id !== id) return;
  pastMissing.value = data === null || (data.series.length === 0 && !data.recording);
  if (data === null) return;
  past.value = { range: id, data };
  if (!eventsOnly) for (const [name, chart] of chartsOf(data, shiftOf(data, Date.now()))) fill(name, chart);
}

function fill(name: string, { times, lines }: PastChart): void {
  const history = ranged.get(name) ?? createHistory();
  ranged.set(name, history);
  const chosen = [...lines].slice(0, mostLines);
  const [first] = chosen;
  history.data = [times, ...chosen.map(([, { mean }]) => mean)];
  history.band = first === undefined ? null : [first[1].least, first[1].most];
  const names = chosen.map(([line]) => line);
  if (names.join('\n') !== history.names.peek().join('\n')) history.names.value = names;
  history.version.value = history.version.peek() + 1;
}
