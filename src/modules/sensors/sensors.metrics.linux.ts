import path from 'node:path';
import { gauge, type Metric } from '../../core/metrics.ts';
import type { Files } from '../../host/linux/files.ts';
import { channelsOf, chipDirectories, deviceOf, readChip } from '../../host/linux/hardware/hwmon.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { channelNames, keyOf } from './sensors.keys.ts';
import type { Sensors, Temperature } from './sensors.schema.ts';

/** The sensors of the kernel under node_exporter's names. */
export function sensorsMetricsLinux(
  { files }: Pick<LinuxHost, 'files'>,
  { temperatures, fans }: Pick<Sensors, 'temperatures' | 'fans'>,
): Metric[] {
  const elsewhere = hwmonLabels(files);
  const eachOfHwmon = (value: (temperature: Temperature) => number | null) =>
    temperatures.flatMap((temperature) => {
      const labels = elsewhere.get(temperature.key);
      return labels === undefined ? [] : [[labels, value(temperature)] as const];
    });
  return [
    gauge(
      'node_hwmon_temp_celsius',
      'Temperature now',
      eachOfHwmon(({ temperature }) => temperature),
    ),
    gauge(
      'node_hwmon_temp_max_celsius',
      'Above this it is too warm',
      eachOfHwmon(({ high }) => high || null),
    ),
    gauge(
      'node_hwmon_temp_crit_celsius',
      'Above this it takes damage or switches off',
      eachOfHwmon(({ critical }) => critical || null),
    ),
    gauge(
      'node_hwmon_fan_rpm',
      'Speed of a fan',
      fans.flatMap(({ key, speed_rpm }) => {
        const labels = elsewhere.get(key);
        return labels === undefined ? [] : [[labels, speed_rpm] as const];
      }),
    ),
  ];
}

/** What node_exporter calls the sensors of the kernel, by their keys. */
function hwmonLabels(files: Files): Map<string, Record<string, string>> {
  const labels = new Map<string, Record<string, string>>();
  for (const directory of chipDirectories(files)) {
    const chip = readChip(files, directory);
    if (chip === null) continue;
    const device = deviceOf(files, directory);
    const name = exportedName(files, directory, chip.name);
    for (const kind of ['temp', 'fan'] as const) {
      const channels = channelsOf(files, chip, kind);
      for (const [index, own] of channelNames(channels).entries()) {
        labels.set(keyOf(chip.name, device, own), { chip: name, sensor: channels[index]?.name ?? '' });
      }
    }
  }
  return labels;
}

/** The last two parts of the path of its device, or its own name where it has none. */
function exportedName(files: Files, directory: string, name: string): string {
  const link = files.link(`${directory}/device`);
  if (link === undefined || link === null) return plain(name);
  const own = path.resolve(path.dirname(directory), files.link(directory) ?? directory);
  return path.resolve(own, link).split('/').slice(-2).map(plain).join('_');
}

const plain = (part: string) =>
  part
    .toLowerCase()
    .replace(/[^a-z0-9:_]/g, '_')
    .replace(/^_+|_+$/g, '');
