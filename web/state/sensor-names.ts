import { capitalised } from '../../src/lib/capitalised.ts';

/** Display name of a sensor: its device, and its place there. */
export interface SensorName {
  device: string;
  channel: string;
}

/** Chips by the name of their driver. https://docs.kernel.org/hwmon/index.html */
const chips: [pattern: RegExp, name: string][] = [
  [/^(k10temp|k8temp|zenpower|fam15h_power|coretemp|cpu_thermal|via_cputemp)$/, 'Processor'],
  [/^nvme$/, 'NVMe drive'],
  [/^drivetemp$/, 'Drive'],
  [/^(amdgpu|radeon|nouveau|nvidia|i915|xe)$/, 'Graphics'],
  [/^(iwlwifi|ath\w*|mt7\w*|rtw\w*|wl\w*)(_\d+)?$/, 'Wi-Fi'],
  [/^(acpitz|pch_\w+|soc_thermal|x86_pkg_temp)$/, 'Chipset'],
  [/^(nct|it8|w83|f71|asus|gigabyte|lm\d)/, 'Main board'],
  [/^(spd5118|jc42|ee1004)$/, 'Memory module'],
  [/^(thinkpad|dell_smm|applesmc|hp|framework|cros_ec|surface\w*)/, 'Laptop'],
  [/^(r8169|ixgbe|igb|i40e|enp\w*|eth\w*|mlx5\w*|bnxt\w*)/, 'Network card'],
  [/^(bat\d*|battery)$/i, 'Battery'],
  [/^(corsair|nzxt|aquacomputer|octo|quadro|d5next|kraken)/, 'Cooler'],
];

const channels: [pattern: RegExp, name: (found: RegExpExecArray) => string][] = [
  [/^tctl$/, () => 'Control value'],
  [/^tdie$/, () => 'Die'],
  [/^tccd(\d+)$/, ([, n]) => `Core complex ${n}`],
  [/^package_id_(\d+)$/, ([, n]) => (n === '0' ? 'Package' : `Package ${Number(n) + 1}`)],
  [/^core_(\d+)$/, ([, n]) => `Core ${n}`],
  [/^composite$/, () => 'Whole drive'],
  [/^sensor_(\d+)$/, ([, n]) => `Sensor ${n}`],
  [/^edge$/, () => 'Edge'],
  [/^junction$/, () => 'Hot spot'],
  [/^mem$/, () => 'Memory'],
  [/^systin$/, () => 'System'],
  [/^cputin$/, () => 'Processor socket'],
  [/^auxtin(\d*)$/, ([, n]) => `Auxiliary ${n}`.trim()],
  [/^peci_agent_\d+_temp(\d+)$/, ([, n]) => `Processor interface, input ${n}`],
  [/^peci_agent_(\d+)(?:_calibration)?(?:_temp\d+)?$/, ([, n]) => `Processor interface ${n}`],
  [/^\w+_hwmon_cpu$/, () => 'Processor'],
  [/^\w+_hwmon_gpu$/, () => 'Graphics'],
  [/^\w+_hwmon_temp(\d+)$/, ([, n]) => `Sensor ${n}`],
  [/^\w+_hwmon_fan(\d+)$/, ([, n]) => `Fan ${n}`],
  [/^temp(\d+)$/, ([, n]) => (n === '1' ? 'Temperature' : `Temperature ${n}`)],
  [/^fan_?(\d+)$/, ([, n]) => `Fan ${n}`],
];

/** Where a chip is: a PCI address, a platform device, a port, a place on a bus. */
const place =
  /_((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]|[\w-]+\.\d+|ata\d+|\d+-[0-9a-f]{4}|thermal_zone\d+|hwmon\d+)_/;

/** Zones of the kernel's thermal framework, by what firmware and device trees call them. */
const zones: [pattern: RegExp, device: string][] = [
  [/^(cpu|soc|x86_pkg|b0d4|tcpu)/i, 'Processor'],
  [/^gpu/i, 'Graphics'],
  [/^npu/i, 'Neural processor'],
  [/^pch/i, 'Chipset'],
  [/^(iwl|wifi|wlan)/i, 'Wi-Fi'],
  [/^(ddr|dram|mem)/i, 'Memory'],
];

function zoneName(zone: string): SensorName {
  const device = zones.find(([pattern]) => pattern.test(zone))?.[1];
  const number = /_(\d+)$/.exec(zone)?.[1];
  if (device === 'Chipset') return { device, channel: 'Controller hub' };
  if (device === undefined) return { device: 'Main board', channel: inWords(zone.replace(/^sen(\d+)$/i, 'sensor $1')) };
  return { device, channel: number === undefined ? 'Temperature' : `Temperature ${number}` };
}

/** Of `nvme_0000:01:00.0_composite`; an unknown form is one device with the key as text. */
export function sensorName(key: string): SensorName {
  const zone = /^thermal_(.+)$/.exec(key)?.[1];
  if (zone !== undefined) return zoneName(zone);
  const found = place.exec(key);
  if (found === null) {
    const cut = key.indexOf('_');
    const [chip, channel] = cut === -1 ? [key, ''] : [key.slice(0, cut), key.slice(cut + 1)];
    return { device: chipName(chip, ''), channel: channel === '' ? 'Temperature' : channelName(channel) };
  }
  const chip = key.slice(0, found.index);
  return {
    device: chipName(chip, found[1] ?? ''),
    channel: channelName(key.slice(found.index + found[0].length)),
  };
}

/** For one line: in what, and where in that. */
export function sensorTitle(key: string): string {
  const { device, channel } = sensorName(key);
  return /^(Whole drive|Temperature|Control value|Package|Edge)$/.test(channel)
    ? device
    : `${device}, ${channel.toLowerCase()}`;
}

function chipName(chip: string, where: string): string {
  const known = chips.find(([pattern]) => pattern.test(chip))?.[1];
  if (known === undefined) return inWords(chip);
  // There may be several of these.
  if (/^(NVMe drive|Drive|Graphics|Memory module)$/.test(known)) return `${known} ${short(where)}`.trim();
  return known;
}

/** 0000:01:00.0 → 01:00: what distinguishes two of them. */
const short = (where: string) => where.replace(/^0000:/, '').replace(/\.0$/, '');

function channelName(channel: string): string {
  for (const [pattern, name] of channels) {
    const found = pattern.exec(channel);
    if (found !== null) return name(found);
  }
  return inWords(channel);
}

const inWords = (text: string) => capitalised(text.replaceAll('_', ' ').trim());

/** Those of one device together, in the order they came in. */
export function byDevice<T extends { key: string }>(sensors: readonly T[]): [device: string, sensors: T[]][] {
  return [...Map.groupBy(sensors, ({ key }) => sensorName(key).device)];
}
