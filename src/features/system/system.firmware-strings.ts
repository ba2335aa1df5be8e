/** Placeholders that board manufacturers leave in. */
export function isPlaceholder(value: string): boolean {
  return placeholders.test(value) || /^[\s0.x_-]*$/i.test(value);
}

const placeholders =
  /^(?:to be filled by o\.?e\.?m\.?|(?:base)?board[ _-]?(?:manufacturer|vendor|product name|version)|default(?: string)?|system (?:manufacturer|product name|version|name)|not (?:applicable|specified|available|defined|set)|o\.?e\.?m\.?|n\/?a|none|null|invalid|undefined|unknown|type1productconfigid|all series|product name|version|filled by oem|empty|\[?standard\]?|0?123456789[0-9a-f]*)$/i;

/** DMTF DSP0134, 7.4.1 (System Enclosure or Chassis Types); 2 is "Unknown". */
export const chassisTypes: (string | null)[] = [
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
