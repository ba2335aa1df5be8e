import type { ModuleDefinition } from '../core/module.ts';
import type {
  HistoryPeak,
  HistoryProcess,
  HistoryProgram,
  HistoryQuery,
  HistoryResult,
  HistorySeries,
  RecordedSeries,
} from '../core/readings/history.ts';
import type { Clock } from '../lib/clock.ts';
import { ServiceError } from '../lib/errors.ts';
import { createBreaks } from '../lib/slices.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { SampleBlock } from './block.ts';
import { type BusyMoment, busiestOf, byProgram, sumUse, type Use } from './busiest-processes.ts';
import type { EachSample } from './database.read.ts';
import { type HistoryDatabase, keptSamplesMs, keptStepsMs } from './database.ts';
import { createColumn, createGrid, fittingStep, type Grid, type GridColumn, type Peak } from './grid.ts';
import { baseOf, knownHistory } from './series-catalogue.ts';
import { stepMs } from './steps.ts';

/** Recorded data that is not in the database yet. */
export interface Present {
  recording: boolean;
  unwritten: readonly SampleBlock[];
  intervalMs: number;
}

const maxPoints = 10_000;
/** Over all series: a megabyte of JSON, and 30 ms. */
const maxValues = 60_000;
const maxEvents = 500;
/** Devices of a series that the answer names. */
const mostNames = 100;
/** Work of a request between two breaks. */
const sliceMs = 6;

export async function readHistory(
  { series: wanted, ...asked }: HistoryQuery,
  { recording, unwritten, intervalMs }: Present,
  history: HistoryDatabase,
  modules: readonly ModuleDefinition[],
  settings: Settings,
  clock: Clock,
): Promise<HistoryResult> {
  const now = clock.now();
  const breaks = createBreaks(clock, sliceMs);
  const to = Math.min(asked.to, now);
  const from = Math.max(asked.from, now - keptStepsMs);
  if (from >= to) throw new ServiceError('invalid', 'from must lie before to, and within the last 30 days');
  // Samples are stored for a day, steps of five minutes for longer.
  const finest = from < now - keptSamplesMs ? stepMs : 1000;
  const wish = asked.step === null ? fittingStep(to - from, Math.max(finest, intervalMs)) : asked.step * 1000;
  const grid = createGrid(from, to, Math.max(finest, wish));
  const { series: defined } = (await knownHistory(modules))(settings);
  const names = [...new Set([...history.names(), ...unwritten.flatMap(({ series }) => Object.keys(series))])]
    .filter((name) => defined.has(baseOf(name)))
    .sort();
  const chosen = choose(names, [...new Set(wanted)]);
  if (grid.length > maxPoints || grid.length * chosen.length > maxValues)
    throw new ServiceError(
      'invalid',
      `${chosen.length} series of ${grid.length} values each are too many for one request: request fewer series, a longer step or a shorter time`,
    );
  const moments = unwritten.flatMap(({ at, every, processes }) =>
    at.flatMap((time, index) => (time < from || time > to ? [] : [{ busiest: processes[index] ?? [], ms: every }])),
  );
  const recent = unwritten
    .flatMap((block) => block.events.filter(({ at }) => at >= from && at <= to))
    .slice(-maxEvents);
  const events = [...history.events(from, to, maxEvents - recent.length), ...recent];
  const stored: BusyMoment[] = [];
  for (const some of history.processes(from, to)) {
    if (breaks.isDue()) await breaks.take();
    stored.push(...some);
  }
  const series: HistorySeries[] = [];
  for (const name of chosen) {
    // However long the step is, every sample of the time is read: some 10 ms for a series.
    if (breaks.isDue()) await breaks.take();
    series.push(seriesOf(name, grid, history, unwritten, defined.get(baseOf(name))));
  }
  return {
    from: grid.from,
    to: grid.to,
    step: grid.stepMs / 1000,
    recording,
    series,
    ...busiestIn([...stored, ...moments]),
    events,
    names: [...Map.groupBy(names, baseOf).values()].flatMap((ofSeries) => ofSeries.slice(0, mostNames)),
  };
}

function seriesOf(
  name: string,
  grid: Grid,
  history: HistoryDatabase,
  unwritten: readonly SampleBlock[],
  definition: RecordedSeries | undefined,
): HistorySeries {
  const column = createColumn(grid);
  const { from, to } = grid;
  const addSample = samplesInto(column);
  if (grid.stepMs >= stepMs) history.steps(name, from, to, (begin, step) => column.add(begin, begin + stepMs, step));
  else history.samples(name, from, to, addSample);
  for (const { at, every, series } of unwritten)
    for (const [index, time] of at.entries()) addSample(time, every, series[name]?.[index] ?? null);
  return {
    name,
    unit: definition?.unit ?? 'percent',
    description: definition?.description ?? '',
    mean: column.mean(),
    least: column.least(),
    most: column.most(),
    peak: peakOf(name, column.peak(), history),
  };
}

/** A sample that is late by fewer intervals than this covers the time since the previous one, as its rates do. */
const mostLate = 4;

function samplesInto(column: GridColumn): EachSample {
  let previous = Number.NEGATIVE_INFINITY;
  return (at, every, value) => {
    const begin = at - previous < mostLate * every ? previous : at - every;
    previous = at;
    if (value !== null) column.add(begin, at, { count: 1, mean: value, least: value, most: value }, at);
  };
}

/** A step does not have the time of its highest value; its samples have it as long as they are stored. */
function peakOf(name: string, peak: Peak | null, history: HistoryDatabase): HistoryPeak | null {
  if (peak === null) return null;
  const { begin, end, at, value } = peak;
  if (at !== null) return { at, value };
  let highest = { at: (begin + end) / 2, value: Number.NEGATIVE_INFINITY };
  history.samples(name, begin, end - 1, (time, _every, sample) => {
    if (sample !== null && sample > highest.value) highest = { at: time, value: sample };
  });
  return { at: highest.at, value };
}

/** Without names: the series of the whole machine. `network` is the sum of its kind, `cpu*` all with this prefix, which may be none. */
function choose(names: readonly string[], wanted: readonly string[]): string[] {
  if (wanted.length === 0) return names.filter((name) => !name.includes('/'));
  const chosen = wanted.flatMap((word) => {
    if (word.endsWith('*')) return names.filter((name) => name.startsWith(word.slice(0, -1)));
    if (names.includes(word)) return [word];
    const ofKind = names.filter((name) => name.startsWith(`${word}.`) && !name.includes('/'));
    return ofKind.length > 0 ? ofKind : names.filter((name) => name.startsWith(`${word}/`));
  });
  const mayBeNone = names.length === 0 || wanted.some((word) => word.endsWith('*'));
  if (chosen.length > 0 || mayBeNone) return [...new Set(chosen)];
  const known = names.filter((name) => !name.includes('/'));
  throw new ServiceError(
    'not_found',
    `No series is named ${wanted.join(', ').slice(0, 200)}; available: ${known.join(', ')}`,
  );
}

/** Means over the time that was recorded. */
function busiestIn(moments: readonly BusyMoment[]): { processes: HistoryProcess[]; programs: HistoryProgram[] } {
  const recordedMs = moments.reduce((sum, { ms }) => sum + ms, 0);
  const sorted = (uses: readonly Use[]) =>
    busiestOf(uses.map((use) => ({ ...use, cpu: (100 * use.cpuMs) / recordedMs })))
      .toSorted((a, b) => b.cpu - a.cpu || b.memory - a.memory)
      .map(({ cpu, mostCpu, ...use }) => ({ ...use, cpu: tenths(cpu), most_cpu: tenths(mostCpu) }));
  const uses = sumUse(moments);
  const counts = Map.groupBy(uses, ({ name }) => name);
  return {
    processes: sorted(uses).map(({ pid, name, cpu, most_cpu, memory }) => ({ pid, name, cpu, most_cpu, memory })),
    programs: sorted(sumUse(moments, byProgram)).map(({ name, cpu, most_cpu, memory }) => ({
      name,
      count: counts.get(name)?.length ?? 0,
      cpu,
      most_cpu,
      memory,
    })),
  };
}

const tenths = (value: number) => Math.round(value * 10) / 10;
