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
    // A network drive whose server is gone makes the calls of Windows wait; Linux has threads of its own for that.
    isolated: { windows: async () => () => true },
    empty: { devices: [], arrays: [], io_counters: null },
    metrics: async () => (await import('./disks.metrics.ts')).disksMetrics,
    otlp: async () => (await import('./disks.otlp.ts')).disksOtlp,
    history: async () => (await import('./disks.history.ts')).disksHistory,
    problems: async () => (await import('./disks.problems.ts')).disksProblems,
    entities: async () => (await import('./disks.entities.ts')).disksEntities,
    sources: {
      linux: async () => (await import('./disks.linux.ts')).disksLinux,
      windows: async () => (await import('./disks.windows.ts')).disksWindows,
    },
  },
  actions: [diskMounts],
  threads: { 'disks.drives': async () => (await import('./linux/drive-commands.thread.ts')).askDrivesInThread },
});
