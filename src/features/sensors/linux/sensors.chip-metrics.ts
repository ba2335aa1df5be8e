import path from 'node:path';
import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { channelsOf, chipDirectories, deviceOf, readChip } from '../../../host/linux/hardware/hwmon.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { channelNames, keyOf } from '../sensors.keys.ts';

type ExportedChip = ReturnType<typeof exportedChips>[number];

/** Chips with their names in node_exporter. */
export function exportedChips(files: Files) {
  return chipDirectories(files).flatMap((directory) => {
    const chip = readChip(files, directory);
    if (chip === null) return [];
    const device = deviceOf(files, directory);
    const channels = (['temp', 'fan'] as const).flatMap((kind) => {
      const found = channelsOf(files, chip, kind);
      return [...channelNames(found).entries()].map(([index, own]) => ({
        key: keyOf(chip.name, device, own),
        sensor: found[index]?.name ?? '',
        label: found[index]?.label ?? '',
      }));
    });
    return [{ label: exportedName(files, directory, chip.name), chip, channels }];
  });
}

/** The last two parts of its device path, or its own name without one. */
function exportedName(files: Files, directory: string, name: string): string {
  const link = files.link(`${directory}/device`);
  if (link === null) return plain(name);
  const own = path.resolve(path.dirname(directory), files.link(directory) ?? directory);
  return path.resolve(own, link).split('/').slice(-2).map(plain).join('_');
}

const plain = (part: string) =>
  part
    .toLowerCase()
    .replace(/[^a-z0-9:_]/g, '_')
    .replace(/^_+|_+$/g, '');

/** Limits that the payload does not have. */
const limits = [
  ['crit_hyst', 'node_hwmon_temp_crit_hyst_celsius', 'Below this it is no longer critical'],
  [
    'crit_alarm',
    'node_hwmon_temp_crit_alarm_celsius',
    'Whether it is critical, in thousandths, as node_exporter has it',
  ],
] as const;

/** A sleeping drive would wake up for these. */
const sleepers = new Set(['drivetemp']);

/** Names of chips and sensors, which dashboards join to the temperatures, and other attributes of the chips. */
export async function chipMetrics(files: Files, chips: readonly ExportedChip[]): Promise<Metric[]> {
  if (chips.length === 0) return [];
  const further = limits.map(async ([element, name, help]) => {
    const asked = chips
      .filter(({ chip }) => !sleepers.has(chip.name))
      .flatMap(({ label, chip, channels }) =>
        channels
          .filter(({ sensor }) => chip.attributes.includes(`${sensor}_${element}`))
          .map(async ({ sensor }) => {
            const value = numberIn(await files.textLater(`${chip.directory}/${sensor}_${element}`));
            return [{ chip: label, sensor }, value === null ? null : value / 1000] as const;
          }),
      );
    return gauge(name, help, await Promise.all(asked));
  });
  return [
    gauge(
      'node_hwmon_chip_names',
      'Name of the driver of a chip',
      chips.map(({ label, chip }) => [{ chip: label, chip_name: plain(chip.name) }, 1]),
    ),
    gauge(
      'node_hwmon_sensor_label',
      'What a sensor is called',
      chips.flatMap(({ label, channels }) =>
        channels
          .filter((channel) => channel.label !== '')
          .map((channel) => [{ chip: label, sensor: channel.sensor, label: channel.label }, 1] as const),
      ),
    ),
    ...(await Promise.all(further)),
  ];
}
