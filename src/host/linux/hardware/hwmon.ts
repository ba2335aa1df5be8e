import type { Files } from '../files.ts';

const directory = '/sys/class/hwmon';

/** A sensor chip. https://docs.kernel.org/hwmon/sysfs-interface.html */
export interface Chip {
  /** `coretemp`, `nvme` …; several chips can have the same. */
  name: string;
  directory: string;
  attributes: string[];
}

export interface HwmonChannel {
  /** `temp1`, `fan2`, `in0` … */
  name: string;
  /** Empty: it has none. */
  label: string;
  /** The file with the value: thousandths of °C or volts, RPM, millionths of watts or joules. */
  input: string;
}

/** `hwmon0`, `hwmon1` …; the numbers are arbitrary and change at each boot. */
export const chipDirectories = (files: Files): string[] => files.list(directory).map((name) => `${directory}/${name}`);

export function readChip(files: Files, chip: string): Chip | null {
  // Some old drivers, such as that of Apple's SMC, have all files one level down.
  for (const place of [chip, `${chip}/device`]) {
    const attributes = files.list(place);
    const name = files.text(`${place}/name`)?.trim();
    if (name !== undefined && attributes.some((attribute) => attribute.endsWith('_input')))
      return { name, directory: place, attributes };
  }
  return null;
}

export function channelsOf(
  files: Files,
  chip: Chip,
  kind: 'temp' | 'fan' | 'in' | 'power' | 'energy' | 'freq',
): HwmonChannel[] {
  const inputs = chip.attributes.filter((name) => name.startsWith(kind) && /^[a-z]+\d+_input$/.test(name));
  return inputs.map((attribute) => {
    const name = attribute.slice(0, -'_input'.length);
    const label = chip.attributes.includes(`${name}_label`)
      ? files.text(`${chip.directory}/${name}_label`)?.trim()
      : undefined;
    return { name, label: label ?? '', input: `${chip.directory}/${attribute}` };
  });
}

/** Directories of the chips with this name. */
export function chipsNamed(files: Files, name: string): string[] {
  return chipDirectories(files).filter((chip) => files.text(`${chip}/name`)?.trim() === name);
}

/**
 * The place of a chip that is stable across boots: its address on its bus. Numbers that the kernel assigns in
 * order of discovery are left out.
 */
export function deviceOf(files: Files, chip: string): string {
  return parseHwmonDevice(files.link(chip) ?? files.link(`${chip}/device`) ?? '');
}

export function parseHwmonDevice(link: string): string {
  const path = link.replace(/^(\.\.\/)+(devices\/)?/, '').replace(/(\/hwmon|\/hidraw)?\/(hwmon|hidraw)\d+$/, '');
  const parts = path.split('/');
  // Such as nvme/nvme0, power_supply/BAT0 or ieee80211/phy0 of a device, but not virtual/thermal/thermal_zone0.
  if (parts.length > 2 && parts[0] !== 'virtual' && classes.has(parts.at(-2) ?? '')) parts.splice(-2);
  const unit = parts.at(-1) ?? '';
  while (parts.length > 1 && passing.test(parts.at(-1) ?? '')) parts.pop();
  const place = parts.at(-1) ?? '';
  const [, number = firstUnit] = /^\d+:(\d+:\d+:\d+)$/.exec(unit) ?? [];
  // Ports of SAS controllers have other names.
  return number === firstUnit || place.startsWith('end_device') ? place : `${place} ${number}`;
}

/** Channel, target and unit of the only drive at its place. */
const firstUnit = '0:0:0';

const classes = new Set([
  'nvme',
  'power_supply',
  'ieee80211',
  'net',
  'drm',
  'thermal',
  'hwmon',
  'ata_port',
  'mmc_host',
]);

/** Numbers of SCSI hosts and HID devices grow with every plug. */
const passing = /^(\d+:\d+:\d+:\d+|target[\d:]+|host\d+|[\dA-F]{4}:[\dA-F]{4}:[\dA-F]{4}\.[\dA-F]{4})$/;
