import { defineFeature } from '../../core/feature.ts';
import { diskMounts } from './disks.actions.ts';
import type { Disks } from './disks.schema.ts';

export const disks = defineFeature<Disks>({
  name: 'disks',
  title: 'Disks',
  module: {
    description:
      'Disks and their health, RAID and pools, the file systems on them, how full those are, and how much was read and written',
    schema: async () => (await import('./disks.schema.ts')).disksSchema,
    everyMs: 10_000,
    // Windows calls block on a network drive whose server is gone; Linux sources use their own threads.
    isolated: { windows: async () => () => true },
    empty: { devices: [], arrays: [], io_counters: null },
    readings: async () => (await import('./disks.readings.ts')).disksReadings,
    sources: {
      linux: async () => (await import('./disks.linux.ts')).disksLinux,
      windows: async () => (await import('./disks.windows.ts')).disksWindows,
    },
  },
  actions: [diskMounts],
  settings: {
    disks: {
      schema: async () => (await import('./disks.settings.schema.ts')).disksSettingsSchema,
      defaults: { allowedSecondaryMountPoints: [] },
      after: 'custom',
      remote: true,
    },
  },
  threads: { 'disks.drives': async () => (await import('./linux/drive-commands.thread.ts')).askDrivesInThread },
});
