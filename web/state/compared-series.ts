import type { Past } from './past-charts.ts';

export interface ComparedSeries {
  name: string;
  mean: number;
  peak: { at: number; value: number } | null;
  /** Mean of the time before; null: nothing was recorded then. */
  before: number | null;
}

export const hourSeconds = 3600;

/** A short time is compared with the day before it, in whole hours: the last one must not contain the compared time. */
export function timeBefore(from: number, to: number): { from: number; to: number } {
  const hourMs = hourSeconds * 1000;
  const end = Math.floor(from / hourMs) * hourMs;
  return { from: end - Math.max(to - from, 24 * hourMs), to: end };
}

export function comparedSeries(past: Pick<Past, 'series'>, before: Pick<Past, 'series'> | null): ComparedSeries[] {
  return past.series.flatMap(({ name, mean: values, peak }) => {
    const mean = meanOf(values);
    const earlier = before?.series.find((each) => each.name === name);
    return mean === null ? [] : [{ name, mean, peak, before: meanOf(earlier?.mean ?? []) }];
  });
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
