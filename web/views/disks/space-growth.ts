import type { Past } from '../../state/past-charts.ts';

/** How the free space of a file system changed in a recorded time. */
export interface SpaceGrowth {
  mountPoint: string;
  /** Bytes, at the end. */
  free: number;
  /** Bytes that were used up; negative: freed. */
  used: number;
  /** The step in which most was used up, with the middle of it by the clock of the machine, Unix milliseconds; null: none. */
  steepest: { at: number; used: number } | null;
  /** Seconds until it is full at this rate; null: it is not filling up, or not within a year. */
  fullIn: number | null;
}

const prefix = 'disk.free/';
const yearSeconds = 365 * 86_400;
/** Recorded numbers have three digits: a smaller change is not known. */
const least = 0.004;

/** Those that fill up fastest first. */
export function growthOf({ from, step, series }: Pick<Past, 'from' | 'step' | 'series'>): SpaceGrowth[] {
  const found = series.flatMap(({ name, mean }): SpaceGrowth[] => {
    if (!name.startsWith(prefix)) return [];
    const known = mean.flatMap((value, place) => (value === null ? [] : [{ value, place }]));
    const [first, last] = [known[0], known.at(-1)];
    if (first === undefined || last === undefined) return [];
    const significant = (bytes: number) => (Math.abs(bytes) < least * first.value ? 0 : bytes);
    const used = significant(first.value - last.value);
    const steps = known.slice(1).map(({ value, place }, index) => ({
      at: from + (place + 0.5) * step * 1000,
      used: significant((known[index]?.value ?? value) - value),
    }));
    const steepest = steps.reduce<SpaceGrowth['steepest']>(
      (most, each) => (each.used > (most?.used ?? 0) ? each : most),
      null,
    );
    const seconds = (last.place - first.place) * step;
    const fullIn = used > 0 ? (last.value / used) * seconds : null;
    return [
      {
        mountPoint: name.slice(prefix.length),
        free: last.value,
        used,
        steepest,
        fullIn: fullIn !== null && fullIn < yearSeconds ? fullIn : null,
      },
    ];
  });
  return found.toSorted((a, b) => b.used - a.used);
}
