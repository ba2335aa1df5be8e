import type { Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import { type Chip, channelsOf, chipDirectories, deviceOf, readChip } from '../../host/linux/hwmon.ts';
import type { FanSensor, SensorDevice, TemperatureSensor } from './sensors.devices.ts';
import { channelNames, keyOf } from './sensors.keys.ts';
import { createValues } from './sensors.values.ts';

/** The chips that are there now: those known before as they are, new ones looked at. */
export function* findChips(host: Host, known: Map<string, SensorDevice>): Generator<void, Map<string, SensorDevice>> {
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

function openChip(host: Host, directory: string, identity: string): SensorDevice | null {
  const { files } = host;
  const chip = readChip(files, directory);
  if (chip === null) return null;
  const device = deviceOf(files, directory);
  const temperatures = channelsOf(files, chip, 'temp');
  const fans = channelsOf(files, chip, 'fan');
  if (temperatures.length + fans.length === 0) return null;
  const values = createValues(
    host,
    [...temperatures, ...fans].map(({ input }) => input),
  );
  const temperatureNames = channelNames(temperatures);
  const fanNames = channelNames(fans);
  // A graphics card that nobody uses would wake up to say how warm it is.
  const status = files.keep(`${directory}/device/power/runtime_status`);
  const canSleep = ['active', 'suspended'].includes(status.text()?.trim() ?? '');
  return {
    name: chip.name,
    identity,
    temperatures: temperatures.map(
      ({ name }, index): TemperatureSensor => ({
        key: keyOf(chip.name, device, temperatureNames[index] ?? name),
        high: degrees(files, chip, `${name}_max`),
        critical: degrees(files, chip, `${name}_crit`),
      }),
    ),
    fans: fans.map(
      ({ name, label }, index): FanSensor => ({
        key: keyOf(chip.name, device, fanNames[index] ?? name),
        name: chip.name,
        label,
        min: attribute(files, chip, `${name}_min`),
        max: attribute(files, chip, `${name}_max`),
      }),
    ),
    values,
    asleep: () => canSleep && status.text()?.startsWith('suspended') === true,
    close() {
      values.close();
      status.close();
    },
  };
}

function attribute(files: Files, chip: Chip, name: string): number | null {
  if (!chip.attributes.includes(name)) return null;
  const value = Number.parseInt(files.text(`${chip.directory}/${name}`) ?? '', 10);
  return Number.isNaN(value) ? null : value;
}

/** Thousandths become °C. Disks say -273 or 65261 for "none". */
function degrees(files: Files, chip: Chip, name: string): number {
  return plausible(attribute(files, chip, name));
}

export function plausible(thousandths: number | null): number {
  return thousandths !== null && thousandths > 0 && thousandths < 1_000_000 ? thousandths / 1000 : 0;
}
