import type { Files } from '../files.ts';

const directory = '/sys/class/hwmon';

/** Directories of the chips with this name. https://docs.kernel.org/hwmon/sysfs-interface.html */
export function chipsNamed(files: Files, name: string): string[] {
  return files
    .list(directory)
    .map((chip) => `${directory}/${chip}`)
    .filter((chip) => files.text(`${chip}/name`)?.trim() === name);
}
