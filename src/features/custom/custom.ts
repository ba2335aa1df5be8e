import { defineFeature } from '../../core/feature.ts';
import type { Custom } from './custom.schema.ts';

const noSensors: Custom = { sensors: [] };

export const custom = defineFeature<Custom>({
  name: 'custom',
  title: 'Custom sensors',
  module: {
    description: 'Values of your own, from commands and files that the settings name',
    schema: async () => (await import('./custom.schema.ts')).customSchema,
    everyMs: 5000,
    empty: noSensors,
    readings: async () => (await import('./custom.readings.ts')).customReadings,
    sources: {
      linux: async () => (await import('./custom.linux.ts')).customLinux,
      windows: async () => (await import('./custom.windows.ts')).customWindows,
    },
  },
  settings: {
    custom: {
      schema: async () => (await import('./custom.settings.schema.ts')).customSettingsSchema,
      defaults: { sensors: [] },
      after: 'containers',
    },
  },
});
