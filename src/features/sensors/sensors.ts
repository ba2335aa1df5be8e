import { defineFeature } from '../../core/feature.ts';
import type { Sensors } from './sensors.schema.ts';

const noSensors: Sensors = { temperatures: [], fans: [], windows_sensors: null };

export const sensors = defineFeature<Sensors>({
  name: 'sensors',
  title: 'Sensors',
  module: {
    description: 'Temperatures and fans of the whole machine',
    schema: async () => (await import('./sensors.schema.ts')).sensorsSchema,
    everyMs: 2000,
    empty: noSensors,
    readings: async () => (await import('./sensors.readings.ts')).sensorsReadings,
    sources: {
      linux: async () => (await import('./sensors.linux.ts')).sensorsLinux,
      windows: async () => (await import('./sensors.windows.ts')).sensorsWindows,
    },
  },
});
