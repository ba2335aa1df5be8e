import { defineFeature } from '../../core/feature.ts';
import { displayActions } from './displays.actions.ts';
import { displayCommands } from './displays.commands.ts';
import type { Displays } from './displays.schema.ts';

export const displays = defineFeature<Displays>({
  name: 'displays',
  title: 'Displays',
  module: {
    description:
      'Connected displays: resolution, position, size, refresh rate, brightness, input, and whether they are on',
    schema: async () => (await import('./displays.schema.ts')).displaysSchema,
    everyMs: 30_000,
    empty: [],
    readings: async () => (await import('./displays.readings.ts')).displaysReadings,
    sources: {
      linux: async () => (await import('./displays.linux.ts')).displaysLinux,
      windows: async () => (await import('./displays.windows.ts')).displaysWindows,
    },
  },
  actions: displayActions,
  commands: displayCommands,
  threads: { 'displays.monitors': async () => (await import('./linux/monitors.thread.ts')).askMonitorsInThread },
});
