import { defineFeature } from '../../core/feature.ts';
import type { Battery } from './battery.schema.ts';

export const battery = defineFeature<Battery>({
  name: 'battery',
  title: 'Battery',
  module: {
    description:
      'Charge level of the batteries that power the machine, and of attached devices such as mice, headsets and UPSes',
    schema: async () => (await import('./battery.schema.ts')).batterySchema,
    everyMs: 30_000,
    empty: { is_charging: null, percentage: null, time_remaining: null, devices: [] },
    readings: async () => (await import('./battery.readings.ts')).batteryReadings,
    sources: {
      linux: async () => (await import('./battery.ups.ts')).withUps((await import('./battery.linux.ts')).batteryLinux),
      windows: async () =>
        (await import('./battery.ups.ts')).withUps((await import('./battery.windows.ts')).batteryWindows),
    },
  },
  settings: {
    battery: {
      schema: async () => (await import('./battery.settings.schema.ts')).batterySettingsSchema,
      defaults: { nut: '' },
      after: 'disks',
      // It can be a service on loopback.
      localOnly: ['nut'],
    },
  },
  libraries: { battery: async () => (await import('./windows/battery-library.ts')).batteryLibrary },
});
