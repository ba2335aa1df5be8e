import type { Reasons } from '../../../core/reasons.ts';
import type { PersistentFile } from '../../../host/linux/files.ts';
import { type EnergyZone, energyZones, permissionFor, wattsBetween } from '../../../host/linux/hardware/powercap.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { CpuSensors } from './cpu.sensors.ts';

/** Energy counters at one moment, microjoules. */
export interface EnergySample {
  packages: (number | null)[];
  cores: ReadonlyMap<number, number>;
}

export type PowerMeter = ReturnType<typeof createCpuPowerMeter>;

/** From the energy counters of the packages (RAPL), or from a driver that reports power. */
export function createCpuPowerMeter({ files, environment }: LinuxHost, sensors: CpuSensors, expected: boolean) {
  const zones = packageZones(files);
  const counts: { file: PersistentFile; range: number }[] =
    zones.length > 0
      ? zones.map(({ file, range }) => ({ file: files.keep(file), range }))
      : sensors.energies.map((file) => ({ file: files.keep(file), range: 0 }));
  const powers = counts.length > 0 ? [] : sensors.powers.map((file) => files.keep(file));
  const cores = [...sensors.coreEnergies].map(([id, file]) => ({ id, file: files.keep(file) }));

  const explain = (reasons: Reasons) => {
    const [zone] = zones;
    if (zone !== undefined && files.denied(zone.file)) {
      const all = zones.length === 1 ? zone.file : zone.file.replace(/\d+(?=\/energy_uj$)/, '*');
      reasons.missing('power', permissionFor(all, environment.userName));
    } else if (counts.length > 0 || powers.length > 0) {
      reasons.missing('power', `${zone?.file ?? 'The energy counter of the processor'} cannot be read at the moment`);
    } else if (expected) {
      reasons.missing(
        'power',
        'No energy counter is visible in /sys/class/powercap; "modprobe intel_rapl_msr" loads the driver, and a container needs /sys/devices/virtual/powercap from its host',
      );
    } else
      reasons.inherent('power', 'The processor does not report its energy use, which is usual in virtual machines');
  };

  return {
    /** Whether a counter exists, readable by this user or not. */
    hasCounters: counts.length > 0 || powers.length > 0,
    sample: () => ({
      packages: counts.map(({ file }) => file.number()),
      cores: new Map(
        cores.flatMap(({ id, file }): [number, number][] => {
          const energy = file.number();
          return energy === null ? [] : [[id, energy]];
        }),
      ),
    }),
    /** Watts of all packages and, by id, of cores. */
    between(before: EnergySample, after: EnergySample, seconds: number, reasons: Reasons) {
      const watts = counts.map(({ range }, index) =>
        change(before.packages[index] ?? null, after.packages[index] ?? null, seconds, range),
      );
      const total = sum(watts) ?? sum(powers.map((file) => divide(file.number(), 1e6)));
      if (total === null) explain(reasons);
      return { total: total === null ? null : rounded(total), cores: coresBetween(before, after, seconds) };
    },
    close() {
      for (const file of [...counts.map((count) => count.file), ...powers, ...cores.map((core) => core.file)])
        file.close();
    },
  };
}

/** Processors with several dies have a counter for each. A package may also appear a second time, through its memory-mapped registers. */
function packageZones(files: LinuxHost['files']): EnergyZone[] {
  const packages = energyZones(files).filter(({ name }) => name.startsWith('package-'));
  const byName = new Map(packages.filter(({ file }) => file.includes('-mmio')).map((zone) => [zone.name, zone]));
  for (const zone of packages) if (!zone.file.includes('-mmio')) byName.set(zone.name, zone);
  return [...byName.values()];
}

function coresBetween(before: EnergySample, after: EnergySample, seconds: number): Map<number, number> {
  const cores = new Map<number, number>();
  for (const [id, energy] of after.cores) {
    const watts = change(before.cores.get(id) ?? null, energy, seconds, 0);
    if (watts !== null) cores.set(id, rounded(watts));
  }
  return cores;
}

/** Above the power of any package: the counter restarted, as after a sleep. */
const impossibleWatts = 5000;

function change(before: number | null, after: number | null, seconds: number, range: number): number | null {
  if (before === null || after === null) return null;
  const watts = wattsBetween(before, after, seconds * 1000, range);
  return watts === null || watts > impossibleWatts ? null : watts;
}

/** null when there is nothing to add, or one is unknown: a partial sum would be wrong. */
function sum(values: (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

const divide = (value: number | null, by: number) => (value === null ? null : value / by);
const rounded = (watts: number) => Math.round(watts * 1000) / 1000;
