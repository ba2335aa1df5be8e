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
    history: async () => (await import('./custom.history.ts')).customHistory,
    metrics: async () => (await import('./custom.metrics.ts')).customMetrics,
    entities: async () => (await import('./custom.entities.ts')).customEntities,
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
