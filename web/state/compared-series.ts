import type { Past } from './past-charts.ts';

export interface ComparedSeries {
  name: string;
  mean: number;
  peak: { at: number; value: number } | null;
  /** Mean of the time before; null: nothing was recorded then. */
  before: number | null;
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
