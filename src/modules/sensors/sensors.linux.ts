import type { CreateSource, Reasons } from '../../core/module.ts';
import { inSlices } from '../../core/slices.ts';
import type { SensorDevice } from './sensors.devices.ts';
import { createInventory } from './sensors.inventory.ts';
import { withUniqueKeys } from './sensors.keys.ts';
import type { Fan, Sensors, Temperature } from './sensors.schema.ts';

export const sensorsLinux: CreateSource<Sensors> = (host) => {
  const inventory = createInventory(host);
  const describe = (devices: SensorDevice[], reasons: Reasons) => inSlices(host.clock, describeAll(devices, reasons));
  return {
    read(reasons) {
      const devices = inventory.current();
      return devices instanceof Promise
        ? devices.then((found) => describe(found, reasons))
        : describe(devices, reasons);
    },
    close: () => inventory.close(),
  };
};

function* describeAll(devices: SensorDevice[], reasons: Reasons): Generator<void, Sensors> {
  const temperatures: Temperature[] = [];
  const fans: Fan[] = [];
  for (const device of devices) {
    if (device.asleep()) {
      reasons.inherent(
        'temperatures',
        `${device.name} is switched off to save power, and is not woken up for its temperature`,
      );
      continue;
    }
    const values = device.values.read();
    for (const [index, { key, high, critical }] of device.temperatures.entries()) {
      const value = values[index] ?? null;
      if (value !== null) temperatures.push({ key, temperature: value / 1000, high, critical });
    }
    for (const [index, { key, name, label, min, max }] of device.fans.entries()) {
      const value = values[device.temperatures.length + index] ?? null;
      if (value !== null) fans.push({ key, name, label, speed_rpm: value, speed_min: min, speed_max: max });
    }
    yield;
  }
  explain(temperatures, fans, reasons);
  return { temperatures: withUniqueKeys(temperatures), fans: withUniqueKeys(fans), windows_sensors: null };
}

function explain(temperatures: Temperature[], fans: Fan[], reasons: Reasons): void {
  reasons.inherent('windows_sensors', 'Only Windows has this tree');
  if (temperatures.length === 0)
    reasons.inherent('temperatures', 'No driver shows a temperature, as in most virtual machines');
  if (fans.length === 0)
    reasons.inherent('fans', 'No driver shows a fan; many laptops and boards keep them to themselves');
  const unlimited = fans.some(({ speed_min, speed_max }) => speed_min === null || speed_max === null);
  if (!unlimited) return;
  for (const field of ['fans[].speed_min', 'fans[].speed_max'])
    reasons.inherent(field, 'The driver does not know the limits of every fan');
}
