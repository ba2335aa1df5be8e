import { effect, type Signal, signal } from '@preact/signals';
import { dataOf, follow } from './live.ts';

/** 15 minutes. */
export const keptSeconds = 900;
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

/** A number that only grows, as what it grew by a second; null over a gap or a restart. */
function perSecond(): (count: number | undefined) => number | null {
  let last: { count: number; at: number } | null = null;
  return (count) => {
    const now = performance.now();
    const before = last;
    last = count === undefined ? null : { count, at: now };
    if (count === undefined || before === null || count < before.count || now - before.at > 30_000) return null;
    // Two payloads in one moment, after a new registration: the second says nothing about a second.
    if (now - before.at < 200) return null;
    return ((count - before.count) * 1000) / (now - before.at);
  };
}

/** Follows what the charts show for as long as somebody is signed in, whichever view is open. Returns the way to stop. */
export function recordHistory(): () => void {
  const [received, sent, read, written] = [perSecond(), perSecond(), perSecond(), perSecond()];
  const stops = [
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
      if (io) add('network', { Received: received(io.bytes_recv), Sent: sent(io.bytes_sent) });
    }),
    effect(() => {
      const io = dataOf('disks').value?.io_counters;
      if (io) add('disk', { Read: read(io.read_bytes), Written: written(io.write_bytes) });
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
