import { defineFeature } from '../../core/feature.ts';
import type { Updates } from './updates.schema.ts';

const unknownUpdates: Updates = {
  updates: null,
  security_updates: null,
  managers: [],
  changes: null,
  reboot: { required: null, reasons: [] },
};

export const updates = defineFeature<Updates>({
  name: 'updates',
  title: 'Updates',
  module: {
    description: 'Packages that have an update, and whether a restart is needed',
    schema: async () => (await import('./updates.schema.ts')).updatesSchema,
    everyMs: 300_000,
    // Package managers read tens of megabytes of lists with low priority, and PackageKit may have to start.
    deadlineMs: 150_000,
    empty: unknownUpdates,
    readings: async () => (await import('./updates.readings.ts')).updatesReadings,
    sources: {
      linux: async () => (await import('./updates.linux.ts')).updatesLinux,
      windows: async () => (await import('./updates.windows.ts')).updatesWindows,
    },
  },
  libraries: { wuapi: async () => (await import('./wuapi.windows.ts')).wuapiLibrary },
});
