import type { Files } from '../../../host/linux/files.ts';
import {
  type Chip,
  channelsOf,
  chipDirectories,
  deviceOf,
  type HwmonChannel,
  readChip,
} from '../../../host/linux/hardware/hwmon.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { isOfDrive } from '../../../host/linux/storage/drive-temperatures.ts';
import type { Readings, SensorDevice } from '../sensors.devices.ts';
import { channelNames, keyOf } from '../sensors.keys.ts';
import { createValues } from './sensors.values.ts';

/** The current chips: known ones unchanged, new ones read. */
export function* findChips(
  host: LinuxHost,
  known: Map<string, SensorDevice>,
): Generator<void, Map<string, SensorDevice>> {
  const found = new Map<string, SensorDevice>();
  for (const directory of chipDirectories(host.files)) {
    const identity = host.files.link(directory) ?? directory;
    const before = known.get(directory);
    const device = before?.identity === identity ? before : openChip(host, directory, identity);
    if (device !== null) found.set(directory, device);
    yield;
  }
  return found;
}

function openChip(host: LinuxHost, directory: string, identity: string): SensorDevice | null {
  const { files } = host;
  const chip = readChip(files, directory);
  if (chip === null) return null;
  const channels = { temp: channelsOf(files, chip, 'temp'), fan: channelsOf(files, chip, 'fan') };
  if (channels.temp.length + channels.fan.length === 0) return null;
  const device = deviceOf(files, directory);
  const temperatures = describeTemperatures(files, chip, device, channels.temp);
  const fans = describeFans(files, chip, device, channels.fan);
  const values = createValues(
    host,
    [...channels.temp, ...channels.fan].map(({ input }) => input),
    isOfDrive(chip.name),
  );
  // Reading the temperature of a suspended graphics card would wake it.
  const status = files.keep(`${directory}/device/power/runtime_status`);
  const canSleep = ['active', 'suspended'].includes(status.text()?.trim() ?? '');
  return {
    name: chip.name,
    identity,
    read() {
      const now = values.read();
      return {
        temperatures: temperatures.map((sensor, index) => {
          const value = now[index] ?? null;
          return { ...sensor, temperature: value === null ? null : value / 1000 };
        }),
        fans: fans.map((sensor, index) => ({ ...sensor, speed_rpm: now[temperatures.length + index] ?? null })),
      };
    },
    silent: { temperatures, fans },
    refresh: values.refresh,
    stale: values.stale,
    renew: values.renew,
    asleep: () => canSleep && status.text()?.startsWith('suspended') === true,
    problem: () => null,
    close() {
      values.close();
      status.close();
    },
  };
}

function describeTemperatures(
  files: Files,
  chip: Chip,
  device: string,
  channels: HwmonChannel[],
): Readings['temperatures'] {
  const names = channelNames(channels);
  return channels.map(({ name }, index) => ({
    key: keyOf(chip.name, device, names[index] ?? name),
    temperature: null,
    high: toDegrees(attribute(files, chip, `${name}_max`)),
    critical: toDegrees(attribute(files, chip, `${name}_crit`)),
  }));
}

function describeFans(files: Files, chip: Chip, device: string, channels: HwmonChannel[]): Readings['fans'] {
  const names = channelNames(channels);
  return channels.map(({ name, label }, index) => ({
    key: keyOf(chip.name, device, names[index] ?? name),
    name: chip.name,
    label,
    speed_rpm: null,
    speed_min: attribute(files, chip, `${name}_min`),
    speed_max: attribute(files, chip, `${name}_max`),
  }));
}

function attribute(files: Files, chip: Chip, name: string): number | null {
  if (!chip.attributes.includes(name)) return null;
  const value = Number.parseInt(files.text(`${chip.directory}/${name}`) ?? '', 10);
  return Number.isNaN(value) ? null : value;
}

/** A limit in thousandths of °C; 0: unknown. Disks without one report -273 or 65261 °C. */
export function toDegrees(thousandths: number | null): number {
  return thousandths !== null && thousandths > 0 && thousandths < 1_000_000 ? thousandths / 1000 : 0;
}
