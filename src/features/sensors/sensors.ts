import { defineFeature } from '../../core/feature.ts';
import type { Sensors } from './sensors.schema.ts';

export const sensors = defineFeature<Sensors>({
  name: 'sensors',
  title: 'Sensors',
  module: {
    description: 'Temperatures and fans of the whole machine',
    schema: async () => (await import('./sensors.schema.ts')).sensorsSchema,
    everyMs: 2000,
    empty: { temperatures: [], fans: [], windows_sensors: null },
    readings: async () => (await import('./sensors.readings.ts')).sensorsReadings,
    sources: {
      linux: async () => (await import('./sensors.linux.ts')).sensorsLinux,
      windows: async () => (await import('./sensors.windows.ts')).sensorsWindows,
    },
  },
});
