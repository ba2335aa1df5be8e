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
    metrics: async () => (await import('./sensors.metrics.ts')).sensorsMetrics,
    otlp: async () => (await import('./sensors.otlp.ts')).sensorsOtlp,
    history: async () => (await import('./sensors.history.ts')).sensorsHistory,
    entities: async () => (await import('./sensors.entities.ts')).sensorsEntities,
    sources: {
      linux: async () => (await import('./sensors.linux.ts')).sensorsLinux,
      windows: async () => (await import('./sensors.windows.ts')).sensorsWindows,
    },
  },
});
