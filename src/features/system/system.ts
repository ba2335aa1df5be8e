import { defineFeature } from '../../core/feature.ts';
import { unknownSystem } from './system.empty.ts';
import type { System } from './system.schema.ts';

export const system = defineFeature<System>({
  name: 'system',
  title: 'System',
  module: {
    description:
      'The machine itself: names, addresses, users, versions, power draw and which programs use the camera and microphone',
    schema: async () => (await import('./system.schema.ts')).systemSchema,
    everyMs: 30_000,
    empty: unknownSystem,
    readings: async () => (await import('./system.readings.ts')).systemReadings,
    sources: {
      linux: async () => (await import('./system.linux.ts')).systemLinux,
      windows: async () => (await import('./system.windows.ts')).systemWindows,
    },
  },
  advertising: {
    linux: async () => (await import('./linux/system.advertising.ts')).advertiseLinux,
    windows: async () => (await import('./windows/system.advertising.ts')).advertiseWindows,
  },
  settings: {
    releases: {
      schema: async () => (await import('./system.settings.schema.ts')).releasesSettingsSchema,
      defaults: { url: '' },
      after: 'chat',
      ownerOnly: ['url'],
      secretUrls: ['url'],
    },
  },
});
