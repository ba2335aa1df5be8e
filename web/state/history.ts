import { effect, type Signal, signal } from '@preact/signals';
import { dataOf, follow } from './live.ts';
import { loadPast, type PastChart } from './past.ts';

/** 15 minutes. */
export const keptSeconds = 900;
const pastAfterMs = 500;
/** More lines than this cannot be told apart. */
const mostLines = 6;

/** Samples over time: first the times (Unix seconds), then one list for each line. */
export interface History {
  names: Signal<string[]>;
  data: (number | null)[][];
  /** Changes with every sample. */
  version: Signal<number>;
}

const histories = new Map<string, History>();

export function historyOf(name: string): History {
  const history = histories.get(name) ?? { names: signal([]), data: [[]], version: signal(0) };
  histories.set(name, history);
  return history;
}

/** The newest value of a line; null: unknown. */
export function latestOf(name: string, line: number): number | null {
  const { data, version } = historyOf(name);
  version.value;
  return data[line + 1]?.at(-1) ?? null;
}

function add(name: string, values: Record<string, number | null>): void {
  const history = historyOf(name);
  const now = Date.now() / 1000;
  const [times = []] = history.data;
  const names = history.names.peek();
  const missing = Object.keys(values)
    .filter((each) => !names.includes(each))
    .slice(0, mostLines - names.length);
  for (const _ of missing) history.data.push(Array(times.length).fill(null));
  const lines = missing.length > 0 ? [...names, ...missing] : names;
  times.push(now);
  lines.forEach((each, index) => void history.data[index + 1]?.push(values[each] ?? null));
  let old = 0;
  while ((times[old] ?? now) < now - keptSeconds) old++;
  if (old > 0) for (const list of history.data) list.splice(0, old);
  history.names.value = lines;
  history.version.value = history.version.peek() + 1;
}

/** What was before the first sample of this page. */
function prepend(name: string, { times, lines }: PastChart): void {
  const history = historyOf(name);
  const [shown = []] = history.data;
  const now = Date.now() / 1000;
  const isBefore = (time: number) => time < (shown[0] ?? now) && time > now - keptSeconds;
  const places = times.flatMap((time, place) => (isBefore(time) ? [place] : []));
  // Nothing was recorded: a chart that has begun need not begin earlier.
  if (!places.some((place) => [...lines.values()].some((values) => values[place] != null))) return;
  const names = [...new Set([...history.names.peek(), ...lines.keys()])].slice(0, mostLines);
  history.data = [
    [...places.map((place) => times[place] ?? 0), ...shown],
    ...names.map((line, index) => [
      ...places.map((place) => lines.get(line)?.[place] ?? null),
      ...(history.data[index + 1] ?? shown.map(() => null)),
    ]),
  ];
  history.names.value = names;
  history.version.value = history.version.peek() + 1;
}

type Rates = [number | null, number | null];

/**
 * Numbers that only grow, as what they grew by a second; null over a gap or a restart. No sample at all where the same
 * payload came again, as it does when somebody else begins to listen.
 */
function perSecond(name: string, lines: [string, string], usualMs: number): (...counts: [number, number]) => void {
  let last: { counts: [number, number]; at: number } | null = null;
  return (...counts) => {
    const at = performance.now();
    const before = last;
    const passed = at - (before?.at ?? 0);
    const same = before !== null && counts.every((count, index) => count === before.counts[index]);
    if (before !== null && passed < (same ? usualMs * 0.75 : 200)) return;
    last = { counts, at };
    const grown = (index: 0 | 1) => counts[index] - (before?.counts[index] ?? 0);
    const known = before !== null && passed < 3 * usualMs + 10_000 && grown(0) >= 0 && grown(1) >= 0;
    const rates: Rates = known ? [(grown(0) * 1000) / passed, (grown(1) * 1000) / passed] : [null, null];
    add(name, { [lines[0]]: rates[0], [lines[1]]: rates[1] });
  };
}

/** Follows what the charts show for as long as somebody is signed in, whichever view is open. Returns the way to stop. */
export function recordHistory(): () => void {
  const network = perSecond('network', ['Received', 'Sent'], 2000);
  const disk = perSecond('disk', ['Read', 'Written'], 10_000);
  let stopped = false;
  // After what is on the page now: the first live value comes first.
  const timer = setTimeout(async () => {
    for (const [name, past] of await loadPast(keptSeconds)) if (!stopped) prepend(name, past);
  }, pastAfterMs);
  const stops = [
    () => {
      stopped = true;
      clearTimeout(timer);
    },
    ...(['cpu', 'memory', 'networks', 'disks', 'system', 'gpus', 'sensors'] as const).map(follow),
    effect(() => {
      const cpu = dataOf('cpu').value;
      if (cpu !== null) add('cpu', { Usage: cpu.usage });
    }),
    effect(() => {
      const memory = dataOf('memory').value;
      if (memory === null) return;
      const swap = memory.swap?.total ? { Swap: memory.swap.percent } : {};
      add('memory', { Memory: memory.virtual?.percent ?? null, ...swap });
    }),
    effect(() => {
      const io = dataOf('networks').value?.io;
      if (io) network(io.bytes_recv, io.bytes_sent);
    }),
    effect(() => {
      const io = dataOf('disks').value?.io_counters;
      if (io) disk(io.read_bytes, io.write_bytes);
    }),
    effect(() => {
      const gpus = dataOf('gpus').value;
      // Two of a kind are told apart by their number.
      if (gpus?.length)
        add(
          'gpus',
          Object.fromEntries(gpus.map(({ name, core_load }, at) => [numbered(name, at, gpus.length), core_load])),
        );
    }),
    effect(() => {
      const temperatures = dataOf('sensors').value?.temperatures;
      if (temperatures?.length) add('temperatures', Object.fromEntries(hottest(temperatures)));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    histories.clear();
  };
}

/** As the cards are titled. */
export const numbered = (name: string, at: number, of: number) => (of > 1 ? `${at + 1}: ${name}` : name);

const hottest = (temperatures: readonly { key: string; temperature: number }[]): [string, number][] =>
  temperatures.toSorted((a, b) => b.temperature - a.temperature).map(({ key, temperature }) => [key, temperature]);
