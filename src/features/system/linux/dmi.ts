import type { Files } from '../../../host/linux/files.ts';
import { chassisTypes, isPlaceholder } from '../system.firmware-strings.ts';

/** Identification of a PC by its firmware. null: no such firmware. */
export interface Dmi {
  /** null: empty, or a placeholder. */
  get(name: DmiName): string | null;
  /** The name of the type in SMBIOS. */
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
    // The highest bit is set if there is a lock.
    chassisType: () => chassisTypes[Number(read('chassis_type')) & 0x7f] ?? null,
  };
}
