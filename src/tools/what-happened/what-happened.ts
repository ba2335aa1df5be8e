import type { HistorySeries } from '../../core/readings/history.ts';
import { defineTool, type ToolContext } from '../../core/tool.ts';
import { parseMoment } from '../../lib/durations.ts';
import { ServiceError } from '../../lib/errors.ts';
import { whyNull } from '../why-null.ts';
import type { WhatHappenedInput, WhatHappenedOutput } from './what-happened.schema.ts';

export const whatHappened = defineTool<WhatHappenedInput, WhatHappenedOutput>({
  name: 'what_happened',
  title: 'What happened',
  description: 'The past around a time: values, busiest processes, events.',
  input: async () => (await import('./what-happened.schema.ts')).whatHappenedInputSchema,
  output: async () => (await import('./what-happened.schema.ts')).whatHappenedOutputSchema,
  scopes: ['read'],
  run: whatHappenedAround,
});

/** Enough for a shape, and few enough to be read. */
const maxValues = 12;
const maxEvents = 12;
const maxProcesses = 8;
const dayMs = 86_400_000;

async function whatHappenedAround(
  { at, minutes, series = [] }: WhatHappenedInput,
  context: ToolContext,
): Promise<WhatHappenedOutput> {
  const now = context.now();
  const moment = at === undefined ? now : parseMoment(at, now);
  if (moment === null) throw new ServiceError('invalid', 'at must be an ISO time, or HH:MM');
  const halfMs = minutes * 30_000;
  // Around a time; a span in the future is replaced by an earlier one.
  const to = Math.min(now, moment + halfMs);
  const from = to - 2 * halfMs;
  const result = await context.history.read({ series, from, to, step: null });
  const names = result.series.map(({ name }) => name);
  const before = await usualBefore(context, names, from);
  const summaries = result.series.map((one) => ({
    ...summaryOf(one),
    usual: before.get(one.name) ?? null,
  }));
  return {
    from: iso(from),
    to: iso(to),
    step_s: stepOf(result.step, result.series[0]?.mean.length ?? 0),
    recording: result.recording,
    series: summaries,
    processes: result.processes.slice(0, maxProcesses).map(({ pid, name, cpu, most_cpu, memory }) => ({
      pid,
      name,
      cpu,
      most_cpu,
      memory_mb: Math.round(memory / 1e6),
    })),
    events: result.events.slice(-maxEvents).map(({ at: time, kind, text }) => ({ at: iso(time), kind, text })),
    ...(result.events.length > maxEvents ? { earlier_events: result.events.length - maxEvents } : {}),
    ...(result.series.some(({ mean }) => mean.some((value) => value !== null)) ? {} : { missing: nothingThen }),
    ...whyNull({ series: summaries }, reasons),
  };
}

const reasons = [
  ...['mean', 'least', 'most', 'most_at', 'values'].map((field) => ({
    field: `series[].${field}`,
    reason: 'Nothing was recorded in these steps: the machine or the service was off or had just started',
  })),
  { field: 'series[].usual', reason: 'Nothing was recorded in the day before' },
];

const nothingThen = 'Nothing was recorded then: the machine or the service was off, or history.enabled is false';

async function usualBefore(
  { history }: ToolContext,
  series: string[],
  to: number,
): Promise<Map<string, number | null>> {
  try {
    const result = await history.read({ series, from: to - dayMs, to, step: 3600 });
    return new Map(result.series.map(({ name, mean }) => [name, meanOf(mean)]));
  } catch (error) {
    // Before the retention time.
    if (error instanceof ServiceError) return new Map();
    throw error;
  }
}

function summaryOf({ name, unit, mean, least, peak }: HistorySeries) {
  const known = least.filter((value) => value !== null);
  return {
    name,
    unit,
    mean: meanOf(mean),
    least: known.length === 0 ? null : Math.min(...known),
    most: peak?.value ?? null,
    most_at: peak === null ? null : iso(peak.at),
    values: fewer(mean),
  };
}

const joinedOf = (length: number) => Math.max(1, Math.ceil(length / maxValues));
const stepOf = (step: number, length: number) => step * joinedOf(length);

function fewer(values: readonly (number | null)[]): (number | null)[] {
  const size = joinedOf(values.length);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    meanOf(values.slice(index * size, (index + 1) * size)),
  );
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0
    ? null
    : Number((known.reduce((sum, value) => sum + value, 0) / known.length).toPrecision(3));
}

const iso = (time: number) => new Date(time).toISOString();
