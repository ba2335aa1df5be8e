import type { Files } from '../../../host/linux/files.ts';
import { chassisTypes, isPlaceholder } from '../system.firmware-strings.ts';

/** What the firmware of a PC says about the machine. null: there is no such firmware. */
export interface Dmi {
  /** null: not said, or filled with a placeholder. */
  get(name: DmiName): string | null;
  /** In words, as SMBIOS has them. */
  chassisType(): string | null;
}

export type DmiName =
  | 'sys_vendor'
  | 'product_name'
  | 'product_version'
  | 'board_vendor'
  | 'board_name'
  | 'bios_vendor'
  | 'bios_version';

const directory = '/sys/class/dmi/id';

export function openDmi(files: Files): Dmi | null {
  if (files.list(directory).length === 0) return null;
  const read = (name: string) => files.text(`${directory}/${name}`)?.trim() ?? '';
  return {
    get(name) {
      const value = read(name);
      return isPlaceholder(value) ? null : value;
    },
    // The highest bit tells whether there is a lock.
    chassisType: () => chassisTypes[Number(read('chassis_type')) & 0x7f] ?? null,
  };
}
