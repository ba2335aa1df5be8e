import { pack, unpack } from './packed-float.ts';

export const stepMs = 5 * 60_000;
export const stepsADay = 288;

/** A step of a day: number of samples, mean, least and most. */
export interface Step {
  count: number;
  mean: number;
  least: number;
  most: number;
}

/** A day of a series: means, least and most in 16 bits each, then counts in 8. Two fit into a page of the database. */
const bytesOfDay = stepsADay * 7;

export interface Day {
  bytes: Uint8Array;
  get(place: number): Step | null;
  /** Merges a step with more samples of the same five minutes. */
  add(place: number, step: Step): void;
}

export function openDay(stored: Uint8Array | null): Day {
  const bytes = new Uint8Array(bytesOfDay);
  if (stored !== null && stored.length === bytesOfDay) bytes.set(stored);
  const packed = new Uint16Array(bytes.buffer, 0, stepsADay * 3);
  const counts = new Uint8Array(bytes.buffer, stepsADay * 6, stepsADay);
  const get = (place: number): Step | null => {
    const count = counts[place] ?? 0;
    if (count === 0) return null;
    const value = (row: number) => unpack(packed[row * stepsADay + place] ?? 0) ?? 0;
    return { count, mean: value(0), least: value(1), most: value(2) };
  };
  return {
    bytes,
    get,
    add(place, step) {
      const joined = joinSteps(get(place), step);
      packed[place] = pack(joined.mean);
      packed[stepsADay + place] = pack(joined.least);
      packed[stepsADay * 2 + place] = pack(joined.most);
      counts[place] = Math.min(255, joined.count);
    },
  };
}

export function joinSteps(one: Step | null, other: Step): Step {
  if (one === null) return other;
  const count = one.count + other.count;
  return {
    count,
    mean: (one.mean * one.count + other.mean * other.count) / count,
    least: Math.min(one.least, other.least),
    most: Math.max(one.most, other.most),
  };
}

/** The five minutes of a column, by their number since 1970. */
export function stepsOf(at: readonly number[], column: readonly (number | null)[]): Map<number, Step> {
  const steps = new Map<number, Step>();
  for (const [index, time] of at.entries()) {
    const value = column[index] ?? null;
    if (value === null) continue;
    const step = Math.floor(time / stepMs);
    steps.set(step, joinSteps(steps.get(step) ?? null, { count: 1, mean: value, least: value, most: value }));
  }
  return steps;
}
