import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { inSlices } from '../../lib/slices.ts';
import { createSensorInventory } from './linux/sensors.inventory.ts';
import type { Readings, SensorDevice } from './sensors.devices.ts';
import { withUniqueKeys } from './sensors.keys.ts';
import type { Fan, Sensors, Temperature } from './sensors.schema.ts';

export const sensorsLinux: CreateSource<Sensors, LinuxHost> = (host) => {
  const inventory = createSensorInventory(host);
  return {
    read: async (reasons) => await inSlices(host.clock, describeAll(await inventory.current(), reasons)),
    close: () => inventory.close(),
  };
};

function* describeAll(devices: SensorDevice[], reasons: Reasons): Generator<void, Sensors> {
  const all: Readings = { temperatures: [], fans: [] };
  for (const device of devices) {
    const problem = device.problem();
    if (problem !== null) reasons.missing('fans', problem);
    const asleep = device.asleep();
    if (asleep) reasons.inherent('temperatures', `${device.name} is asleep, and reading it would wake it up`);
    const { temperatures, fans } = asleep ? device.silent : device.read();
    all.temperatures.push(...temperatures);
    all.fans.push(...fans);
    yield;
  }
  const temperatures = withUniqueKeys(all.temperatures).filter(isMeasured);
  const fans = withUniqueKeys(all.fans).filter(({ speed_rpm }) => speed_rpm !== null);
  explain(temperatures, fans, reasons);
  return { temperatures, fans, windows_sensors: null };
}

const isMeasured = (sensor: Readings['temperatures'][number]): sensor is Temperature => sensor.temperature !== null;

function explain(temperatures: Temperature[], fans: Fan[], reasons: Reasons): void {
  reasons.inherent('windows_sensors', 'Available on Windows only');
  if (temperatures.length === 0)
    reasons.inherent('temperatures', 'No driver reports a temperature, which is usual in virtual machines');
  if (fans.length === 0)
    reasons.inherent('fans', 'No driver reports a fan; many laptops and boards do not expose theirs');
  for (const limit of ['speed_min', 'speed_max'] as const)
    if (fans.some((fan) => fan[limit] === null))
      reasons.inherent(`fans[].${limit}`, 'The driver does not report this limit for every fan');
}
