import type { Files } from '../files.ts';

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

/** What board makers leave in when nobody fills the fields. */
export function isPlaceholder(value: string): boolean {
  return placeholders.test(value) || /^[\s0.x_-]*$/i.test(value);
}

const placeholders =
  /^(?:to be filled by o\.?e\.?m\.?|(?:base)?board[ _-]?(?:manufacturer|vendor|product name|version)|default(?: string)?|system (?:manufacturer|product name|version|name)|not (?:applicable|specified|available|defined|set)|o\.?e\.?m\.?|n\/?a|none|null|invalid|undefined|unknown|type1productconfigid|all series|product name|version|filled by oem|empty|\[?standard\]?|0?123456789[0-9a-f]*)$/i;

/** DMTF DSP0134, 7.4.1 (System Enclosure or Chassis Types); 2 is "Unknown". */
const chassisTypes: (string | null)[] = [
  null,
  'Other',
  null,
  'Desktop',
  'Low Profile Desktop',
  'Pizza Box',
  'Mini Tower',
  'Tower',
  'Portable',
  'Laptop',
  'Notebook',
  'Hand Held',
  'Docking Station',
  'All in One',
  'Sub Notebook',
  'Space-saving',
  'Lunch Box',
  'Main Server Chassis',
  'Expansion Chassis',
  'SubChassis',
  'Bus Expansion Chassis',
  'Peripheral Chassis',
  'RAID Chassis',
  'Rack Mount Chassis',
  'Sealed-case PC',
  'Multi-system Chassis',
  'Compact PCI',
  'Advanced TCA',
  'Blade',
  'Blade Enclosure',
  'Tablet',
  'Convertible',
  'Detachable',
  'IoT Gateway',
  'Embedded PC',
  'Mini PC',
  'Stick PC',
];
