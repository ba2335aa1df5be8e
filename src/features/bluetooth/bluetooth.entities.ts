import { binarySensor, type ModuleEntities, percentSensor, uniqueKeys } from '../../core/readings/entities.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

export const bluetoothEntities: ModuleEntities<Bluetooth> = {
  atOnce: true,
  atMostEvery: 300,
  read: ({ adapters, devices }) => [
    ...uniqueKeys(adapters, ({ id }) => id).map(([key, { id, powered }]) =>
      binarySensor(`bluetooth_adapter_${key}`, `Bluetooth ${id}`, powered, {
        icon: 'mdi:bluetooth',
        isDiagnostic: true,
      }),
    ),
    // A device that two adapters know is two entries.
    ...uniqueKeys(devices, ({ address }) => address).flatMap(([key, { name, connected, battery }]) => [
      binarySensor(`bluetooth_${key}`, name, connected, { deviceClass: 'connectivity' }),
      // The module battery has those that UPower knows.
      percentSensor(`bluetooth_${key}_battery`, `${name} battery (Bluetooth)`, battery, {
        deviceClass: 'battery',
        isOff: true,
      }),
    ]),
  ],
  controlled: ({ adapters }): Record<string, { value: boolean }> =>
    adapters.length === 0 ? {} : { bluetooth_power: { value: adapters.some(({ powered }) => powered) } },
};
