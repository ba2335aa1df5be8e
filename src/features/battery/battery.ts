import { defineFeature } from '../../core/feature.ts';
import type { Battery } from './battery.schema.ts';

export const battery = defineFeature<Battery>({
  name: 'battery',
  title: 'Battery',
  module: {
    description:
      'Charge level of the batteries that power the machine, and of attached devices such as mice and headsets',
    schema: async () => (await import('./battery.schema.ts')).batterySchema,
    everyMs: 30_000,
    empty: { is_charging: null, percentage: null, time_remaining: null, devices: [] },
    readings: async () => (await import('./battery.readings.ts')).batteryReadings,
    sources: {
      linux: async () => (await import('./battery.linux.ts')).batteryLinux,
      windows: async () => (await import('./battery.windows.ts')).batteryWindows,
    },
  },
  libraries: { battery: async () => (await import('./windows/battery-library.ts')).batteryLibrary },
});
