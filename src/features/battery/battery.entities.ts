import {
  binarySensor,
  type ModuleEntities,
  percentSensor,
  roundedTo,
  sensor,
  uniqueKeys,
} from '../../core/readings/entities.ts';
import type { Battery } from './battery.schema.ts';

export const batteryEntities: ModuleEntities<Battery> = {
  atOnce: true,
  // Not everything announces how full it is.
  atMostEvery: 60,
  read: ({ percentage, is_charging, time_remaining, devices }) => [
    percentSensor('battery', 'Battery', percentage, { deviceClass: 'battery' }),
    binarySensor('battery_charging', 'Battery charging', is_charging, { deviceClass: 'battery_charging' }),
    sensor('battery_time_left', 'Battery time left', roundedTo(time_remaining, 0), {
      unit: 's',
      deviceClass: 'duration',
    }),
    ...uniqueKeys(devices, ({ id }) => id).map(([key, { name, percentage: charge }]) =>
      percentSensor(`battery_device_${key}`, `${name} battery`, charge, { deviceClass: 'battery' }),
    ),
  ],
};
