import type { CpuFrequency, PerCpu } from '../cpu.schema.ts';
import type { CpuStat } from './cpu.stat.ts';
import { sharesBetween, timesOf, unknownShares, unknownTimes } from './cpu.times.ts';

export interface CoreReadings {
  before: CpuStat['cores'];
  after: CpuStat['cores'];
  offline: number[];
  frequency: ReadonlyMap<number, CpuFrequency>;
  power: ReadonlyMap<number, number>;
}

/** One entry for each present core, so that ids keep their place when one is switched off. */
export function describeCores({ before, after, offline, frequency, power }: CoreReadings): PerCpu[] {
  const online = after.map(({ id, ticks }, index): PerCpu => {
    // The cores are mostly the same as before, in the same places.
    const then = before[index]?.id === id ? before[index] : before.find((core) => core.id === id);
    const { usage, times_percent } = then === undefined ? unknownShares : sharesBetween(then.ticks, ticks);
    return {
      id,
      frequency: frequency.get(id) ?? unknownFrequency,
      power: power.get(id) ?? null,
      times: timesOf(ticks),
      times_percent,
      usage,
      voltage: null,
    };
  });
  if (offline.length === 0) return online;
  return [...online, ...offline.map(switchedOff)].sort((a, b) => a.id - b.id);
}

const unknownFrequency: CpuFrequency = { current: null, min: null, max: null };

const switchedOff = (id: number): PerCpu => ({
  id,
  frequency: unknownFrequency,
  power: null,
  times: unknownTimes,
  ...unknownShares,
  voltage: null,
});
