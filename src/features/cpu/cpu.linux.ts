import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import { createPairs, type Pair } from '../../lib/sample-pair.ts';
import { inSlices } from '../../lib/slices.ts';
import type { Cpu, CpuFrequency, PerCpu } from './cpu.schema.ts';
import { createFrequencies, overallFrequency } from './linux/cpu.frequency.ts';
import { parseIdentity } from './linux/cpu.identity.ts';
import { createMeters } from './linux/cpu.meters.ts';
import type { EnergySample } from './linux/cpu.power.ts';
import { explain } from './linux/cpu.reasons.ts';
import { type CpuStat, parseCpuStat } from './linux/cpu.stat.ts';
import { sharesBetween, timesOf, unknownShares, unknownTimes } from './linux/cpu.times.ts';

export const cpuLinux: CreateSource<Cpu, LinuxHost> = (host) => {
  let open: OpenSource | null = null;
  return {
    read: (reasons) =>
      // Searched at intervals: with a hundred cores it is expensive.
      mapLater(open ?? inSlices(host.clock, openSource(host)), (found) => {
        open = found;
        return found.read(reasons);
      }),
    close: () => open?.close(),
  };
};

interface OpenSource {
  read(reasons: Reasons): Later<Cpu>;
  close(): void;
}

interface Sample {
  stat: CpuStat;
  energy: EnergySample;
}

function* openSource(host: LinuxHost): Generator<void, OpenSource> {
  const { files, clock } = host;
  const statFile = files.keep('/proc/stat');
  const loadFile = files.keep('/proc/loadavg');
  const identity = parseIdentity(files.text('/proc/cpuinfo') ?? '');
  const frequencies = yield* createFrequencies(host);
  const meters = yield* createMeters(host, identity);
  const findOffline = createCoreWatch(files, frequencies.refresh);
  const pairs = createPairs(
    clock,
    (): Sample => ({ stat: parseCpuStat(statFile.text() ?? ''), energy: meters.power().sample() }),
  );

  const describe = ({ before, after, seconds }: Pair<Sample>, reasons: Reasons): Cpu => {
    const { all, cores, ...counters } = after.stat;
    const offline = findOffline(cores);
    const frequency = frequencies.read();
    const power = meters.power().between(before.energy, after.energy, seconds, reasons);
    const { usage, times_percent } =
      before.stat.all === null || all === null ? unknownShares : sharesBetween(before.stat.all, all);
    const payload: Cpu = {
      count: cores.length === 0 ? null : cores.length,
      name: identity.name,
      vendor: identity.vendor,
      family: identity.family,
      frequency: overallFrequency(frequency.values()),
      load_average: parseLoad(loadFile.text()),
      per_cpu: describeCores({ before: before.stat.cores, after: cores, offline, frequency, power: power.cores }),
      power: power.total,
      stats: {
        ctx_switches: counters.contextSwitches,
        interrupts: counters.interrupts,
        soft_interrupts: counters.softInterrupts,
        syscalls: null,
      },
      temperature: meters.temperature(reasons),
      times: all === null ? unknownTimes : timesOf(all),
      times_percent,
      usage,
      voltage: meters.voltage(reasons),
    };
    explain(payload, offline, reasons);
    return payload;
  };

  return {
    read: (reasons) => mapLater(pairs(), (pair) => describe(pair, reasons)),
    close() {
      for (const part of [statFile, loadFile, frequencies, meters]) part.close();
    },
  };
}

/** The average of the last minute: the first number. */
function parseLoad(loadavg: string | null): number | null {
  const load = Number.parseFloat(loadavg ?? '');
  return Number.isNaN(load) ? null : load;
}

const directory = '/sys/devices/system/cpu';

/** Finds the cores that are present but offline, given those online; reads only after a change. In containers, hidden cores are left out. */
function createCoreWatch(files: Files, changed: () => void): (online: CpuStat['cores']) => number[] {
  let known: CpuStat['cores'] | null = null;
  let offline: number[] = [];
  return (online) => {
    if (known === null || !sameCores(known, online)) {
      const present = new Set(parseCores(files.text(`${directory}/present`)));
      for (const { id } of online) present.delete(id);
      offline = parseCores(files.text(`${directory}/offline`)).filter((id) => present.has(id));
      if (known !== null) changed();
    }
    known = online;
    return offline;
  };
}

function sameCores(before: CpuStat['cores'], after: CpuStat['cores']): boolean {
  return before.length === after.length && before.every(({ id }, index) => id === after[index]?.id);
}

/** `0-3,8` */
export function parseCores(list: string | null): number[] {
  const ranges = (list ?? '').trim().split(',');
  return ranges
    .filter((range) => /^\d+(-\d+)?$/.test(range))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    });
}

interface CoreReadings {
  before: CpuStat['cores'];
  after: CpuStat['cores'];
  offline: number[];
  frequency: ReadonlyMap<number, CpuFrequency>;
  power: ReadonlyMap<number, number>;
}

/** One entry for each present core, so that ids keep their place when one is switched off. */
function describeCores({ before, after, offline, frequency, power }: CoreReadings): PerCpu[] {
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
