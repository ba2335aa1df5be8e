import { computed } from '@preact/signals';
import { parameter, setParameters } from '../shell/route.tsx';

export interface Range {
  /** As in the address, and as GET /api/history takes it. */
  id: string;
  title: string;
  /** "… over the last 15 minutes". */
  words: string;
  seconds: number;
  /** How often a chart of it is brought up to date; null: with every sample. */
  refreshMs: number | null;
}

const live: Range = { id: 'live', title: 'Live', words: 'the last 5 minutes', seconds: 300, refreshMs: null };

export const ranges: readonly Range[] = [
  live,
  { id: '15m', title: '15 min', words: 'the last 15 minutes', seconds: 900, refreshMs: 15_000 },
  { id: '1h', title: '1 h', words: 'the last hour', seconds: 3600, refreshMs: 15_000 },
  { id: '24h', title: '24 h', words: 'the last 24 hours', seconds: 86_400, refreshMs: 60_000 },
  { id: '7d', title: '7 d', words: 'the last 7 days', seconds: 604_800, refreshMs: 300_000 },
  { id: '30d', title: '30 d', words: 'the last 30 days', seconds: 2_592_000, refreshMs: 300_000 },
];

/** The range of the charts; part of the address, so that it can be shared as a link. */
export const range = computed<Range>(() => ranges.find(({ id }) => id === parameter('range')) ?? live);

/** The selected moment, Unix seconds; null: none. */
export const moment = computed<number | null>(() => {
  const at = Number(parameter('at') ?? Number.NaN);
  return Number.isFinite(at) && at > 0 ? at : null;
});

/** Where the range of the charts ends, Unix seconds by the clock of the machine; null: now. */
export const rangeEnd = computed<number | null>(() => {
  const to = Number(parameter('to') ?? Number.NaN);
  return Number.isFinite(to) && to > 0 && range.value.refreshMs !== null ? to : null;
});

export interface Comparison {
  /** As in the address. */
  id: string;
  title: string;
  /** How much earlier it is. */
  seconds: number;
}

const comparisons: readonly Comparison[] = [
  { id: 'hour', title: 'an hour earlier', seconds: 3600 },
  { id: 'day', title: 'a day earlier', seconds: 86_400 },
  { id: 'week', title: 'a week earlier', seconds: 604_800 },
];

/** What the current range can be compared with: a time that does not overlap it. */
export const comparable = computed(() =>
  range.value.refreshMs === null ? [] : comparisons.filter(({ seconds }) => seconds >= range.value.seconds),
);

/** The comparison in the address; null: none. */
export const comparison = computed<Comparison | null>(
  () => comparable.value.find(({ id }) => id === parameter('compare')) ?? null,
);

export const setRange = (id: string) => setParameters({ range: id === 'live' ? null : id, at: null, to: null });

export const selectMoment = (at: number | null) => setParameters({ at: at === null ? null : String(Math.round(at)) });
