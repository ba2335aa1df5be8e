import { defineFeature } from '../../core/feature.ts';
import { bluetoothActions } from './bluetooth.actions.ts';
import { bluetoothCommands } from './bluetooth.commands.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

export const bluetooth = defineFeature<Bluetooth>({
  name: 'bluetooth',
  title: 'Bluetooth',
  module: {
    description: 'Bluetooth adapters, and the paired devices with whether they are connected',
    schema: async () => (await import('./bluetooth.schema.ts')).bluetoothSchema,
    everyMs: 30_000,
    empty: { adapters: [], devices: [] },
    readings: async () => (await import('./bluetooth.readings.ts')).bluetoothReadings,
    sources: {
      linux: async () => (await import('./bluetooth.linux.ts')).bluetoothLinux,
    },
  },
  actions: bluetoothActions,
  commands: bluetoothCommands,
});
