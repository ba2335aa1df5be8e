import type { ModulePayloads } from '@hostler/client/client.ts';
import { effect, type Signal, signal } from '@preact/signals';
import { bytes } from '../units.ts';
import { chartAhead } from './clock.ts';
import { askPast } from './history-series.ts';
import { dataOf, follow } from './live.ts';
import { type Interface, isLoopback } from './networks.ts';
import { chartsOf, type PastChart } from './past-charts.ts';
import { type Counts, createRates } from './rates.ts';

/** What a live chart holds. */
const liveSeconds = 300;
const pastAfterMs = 500;
/** More lines than this cannot be distinguished. */
export const mostLines = 6;

/** Samples over time: first the times (Unix seconds), then one list for each line. */
export interface History {
  names: Signal<string[]>;
  data: (number | null)[][];
  /** null: single values, as they came in. */
  recorded: Recorded | null;
  /** Changes with every sample. */
  version: Signal<number>;
}

/** Where the values are means of steps. */
export interface Recorded {
  /** Seconds of each step. */
  step: number;
  /** Least and most of each line. */
  bands: [least: (number | null)[], most: (number | null)[]][];
  /** The same lines of an earlier time, with its name; null: there is no comparison. */
  compared: { title: string; lines: (number | null)[][] } | null;
  /** The highest value of all lines, and its time by the clock of the machine, Unix milliseconds. */
  peak: { at: number; value: number } | null;
  /** Nothing was recorded before, Unix seconds, so the chart begins here; null: the record fills the range. */
  since: number | null;
}

const histories = new Map<string, History>();
/** Names of those with a live value. */
const begun = new Set<string>();

export const createHistory = (): History => ({ names: signal([]), data: [[]], recorded: null, version: signal(0) });

export function historyOf(name: string): History {
  const history = histories.get(name) ?? createHistory();
  histories.set(name, history);
  return history;
}

/** A rate is known from the second sample on; until then the last recorded one is used. */
const freshSeconds = 45;

/** The newest value of a line; null: unknown. */
export function latestOf(name: string, line: number): number | null {
  const { data, version } = historyOf(name);
  version.value;
  const [times = []] = data;
  const place = data[line + 1]?.findLastIndex((value) => value !== null) ?? -1;
  const age = Date.now() / 1000 - (times[place] ?? 0);
  return age > freshSeconds ? null : (data[line + 1]?.[place] ?? null);
}

function add(name: string, values: Record<string, number | null>): void {
  const history = historyOf(name);
  // Before the first live value, as of a rate, nothing is missing: it continues the record.
  if (!begun.has(name) && Object.values(values).every((value) => value === null)) return;
  begun.add(name);
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
  while ((times[old] ?? now) < now - liveSeconds) old++;
  if (old > 0) for (const list of history.data) list.splice(0, old);
  history.names.value = lines;
  history.version.value = history.version.peek() + 1;
}

/** Prepends the recorded samples before the first one of this page. */
function prepend(name: string, { times, lines }: PastChart): void {
  const history = historyOf(name);
  const [shown = []] = history.data;
  const now = Date.now() / 1000;
  const isBefore = (time: number) => time < (shown[0] ?? now) && time > now - liveSeconds;
  const isKnown = (place: number) => [...lines.values()].some(({ mean }) => mean[place] != null);
  const before = times.flatMap((time, place) => (isBefore(time) ? [place] : []));
  // What is not recorded yet is no gap.
  const places = before.slice(0, before.findLastIndex(isKnown) + 1);
  // Nothing was recorded: a chart that has begun need not begin earlier.
  if (places.length === 0) return;
  const names = [...new Set([...history.names.peek(), ...lines.keys()])].slice(0, mostLines);
  history.data = [
    [...places.map((place) => times[place] ?? 0), ...shown],
    ...names.map((line, index) => [
      ...places.map((place) => lines.get(line)?.mean[place] ?? null),
      ...(history.data[index + 1] ?? shown.map(() => null)),
    ]),
  ];
  history.names.value = names;
  history.version.value = history.version.peek() + 1;
}

/** Follows the data of the charts while a session exists, whichever view is open. Returns a function that stops it. */
export function recordHistory(): () => void {
  const network = createRates(2000);
  const disk = createRates(10_000);
  let stopped = false;
  // After what is on the page now: the first live value comes first.
  const timer = setTimeout(async () => {
    const past = await askPast({ last: liveSeconds, step: 15 });
    if (past === null || stopped) return;
    for (const [name, chart] of chartsOf(past, chartAhead.peek(), Date.now())) prepend(name, chart);
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
      const networks = dataOf('networks').value;
      if (networks === null) return;
      const counted = networks.networks.filter((each) => !isLoopback(each));
      // A service without separate counters reports the sum, including loopback.
      const countsOf = ({ bytes_recv, bytes_sent }: NonNullable<Interface['io']>): Counts => [bytes_recv, bytes_sent];
      const pairs = counted.flatMap(({ name, io }): Named[] => (io ? [[`network/${name}`, countsOf(io)]] : []));
      const whole = pairs.length === 0 && networks.io ? countsOf(networks.io) : sum(pairs);
      network(new Map([['network', whole], ...pairs]), (name, [Received, Sent]) => add(name, { Received, Sent }));
    }),
    effect(() => {
      const disks = dataOf('disks').value;
      const io = disks?.io_counters;
      if (!io) return;
      const pairs = disks.devices.flatMap(({ name, io_counters: own }): Named[] =>
        own ? [[`disk/${name}`, [own.read_bytes, own.write_bytes]]] : [],
      );
      disk(new Map([['disk', [io.read_bytes, io.write_bytes]], ...pairs]), (name, [Read, Written]) =>
        add(name, { Read, Written }),
      );
    }),
    effect(() => {
      const gpus = dataOf('gpus').value;
      if (gpus?.length) add('gpus', Object.fromEntries(gpus.map(({ id, core_load }) => [id, core_load])));
    }),
    effect(() => {
      const temperatures = dataOf('sensors').value?.temperatures;
      if (temperatures?.length) add('temperatures', Object.fromEntries(hottest(temperatures)));
    }),
    // Read only while they are shown: a chart does not run their commands.
    effect(() => {
      for (const { id, value, error } of dataOf('custom').value?.sensors ?? [])
        if (typeof value === 'number') add(`custom.${id}`, { Value: error === null ? value : null });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    histories.clear();
    begun.clear();
  };
}

type Named = [name: string, counts: Counts];

const sum = (pairs: readonly Named[]) => pairs.reduce<Counts>(([one, two], [, [a, b]]) => [one + a, two + b], [0, 0]);

/** As the cards of graphics processors are titled. */
export const numbered = (name: string, at: number, of: number) =>
  of > 1 ? `${at + 1}: ${graphicsName(name)}` : graphicsName(name);

type Gpu = ModulePayloads['gpus'][number];
const mebibytes = (value: number | null) => bytes(value === null ? null : value * 2 ** 20);

/** For a meter. */
export const memoryOf = ({ memory_used, memory_total }: Pick<Gpu, 'memory_used' | 'memory_total'>) => ({
  value: memory_total && memory_used !== null ? (memory_used / memory_total) * 100 : null,
  text: memory_total === null ? 'shared with the system' : `${mebibytes(memory_used)} of ${mebibytes(memory_total)}`,
});

/** Short name: of "Advanced Micro Devices, Inc. [AMD/ATI] Navi 21 [Radeon RX 6800]" the maker and the product name. */
export function graphicsName(name: string): string {
  const short = makers.reduce((text, [long, maker]) => text.replace(long, maker), name);
  const [, maker, product] = /^(AMD|Intel|NVIDIA) .*\[([^[\]]+)\]$/.exec(short) ?? [];
  return product === undefined || maker === undefined ? short : `${maker} ${product}`;
}

const makers: [RegExp, string][] = [
  [/^Advanced Micro Devices, Inc\.(?: \[AMD(?:\/ATI)?\])?/, 'AMD'],
  [/^Intel Corporation/, 'Intel'],
  [/^NVIDIA Corporation/, 'NVIDIA'],
];

const hottest = (temperatures: readonly { key: string; temperature: number }[]): [string, number][] =>
  temperatures
    .filter(({ temperature }) => temperature > 0)
    .toSorted((a, b) => b.temperature - a.temperature)
    .map(({ key, temperature }) => [key, temperature]);
