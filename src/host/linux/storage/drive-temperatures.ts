import type { Files } from '../files.ts';
import { chipDirectories } from '../hardware/hwmon.ts';

/** Files with the temperature of drives, thousandths of °C, by the name of the disk. To be read in another thread: the kernel queries the drive. */
export function findDriveTemperatures(files: Files): Map<string, string> {
  const found = new Map<string, string>();
  for (const chip of chipDirectories(files)) {
    const name = files.text(`${chip}/name`)?.trim() ?? '';
    for (const disk of disksOf[name]?.(files, `${chip}/device`) ?? []) found.set(disk, `${chip}/temp1_input`);
  }
  return found;
}

export const isOfDrive = (name: string) => disksOf[name] !== undefined;

const disksOf: Record<string, (files: Files, device: string) => string[]> = {
  /** ATA drives. https://docs.kernel.org/hwmon/drivetemp.html */
  drivetemp: (files, device) => files.list(`${device}/block`),
  /** Its first sensor is the composite temperature. Old kernels have the chip one level up, beside the controller. */
  nvme: (files, device) => [
    ...namespacesIn(files, device),
    ...files.list(`${device}/nvme`).flatMap((controller) => namespacesIn(files, `${device}/nvme/${controller}`)),
  ],
};

/** With multipath each path has its own entry: nvme0c1n1 is one to nvme0n1. */
function namespacesIn(files: Files, controller: string): string[] {
  return files.list(controller).flatMap((name) => {
    const [, subsystem, namespace] = /^(nvme\d+)(?:c\d+)?(n\d+)$/.exec(name) ?? [];
    return subsystem === undefined || namespace === undefined ? [] : [`${subsystem}${namespace}`];
  });
}
