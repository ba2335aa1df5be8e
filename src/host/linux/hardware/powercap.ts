import type { Files } from '../files.ts';

const directory = '/sys/class/powercap';

/** A zone with an energy counter. https://docs.kernel.org/power/powercap/powercap.html */
export interface EnergyZone {
  /** `package-0`, `core`, `dram`, `psys` … */
  name: string;
  /** Holds the count, in microjoules. Only root may read it on most systems. */
  file: string;
  /** The value at which the counter wraps to 0. */
  range: number;
}

export function energyZones(files: Files): EnergyZone[] {
  return files.list(directory).flatMap((zone) => {
    const name = files.text(`${directory}/${zone}/name`)?.trim();
    if (name === undefined) return [];
    const range = Number(files.text(`${directory}/${zone}/max_energy_range_uj`) ?? 0);
    return [{ name, file: `${directory}/${zone}/energy_uj`, range }];
  });
}

export function readEnergy(files: Files, zone: EnergyZone): number | null {
  const text = files.text(zone.file);
  return text === null || text.trim() === '' ? null : Number(text);
}

/** Watts between two counts; null when the counter is not conclusive. */
export function wattsBetween(before: number, after: number, elapsedMs: number, range: number): number | null {
  if (elapsedMs <= 0) return null;
  const used = after >= before ? after - before : after - before + range;
  return used < 0 ? null : used / 1000 / elapsedMs;
}

/** How a user other than root can read a counter. */
export function permissionFor(file: string, user: string): string {
  return `Only root may read ${file}; the line "z ${file} 0440 root ${user}" in /etc/tmpfiles.d/hostler.conf lets the group ${user} read it after the next boot`;
}
