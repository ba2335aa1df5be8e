import { defineFeature } from '../../core/feature.ts';
import { networkWake } from './networks.actions.ts';
import { networksCommands } from './networks.commands.ts';
import type { Networks } from './networks.schema.ts';

const unknownNetworks: Networks = { networks: [], connections: [], io: null };

export const networks = defineFeature<Networks>({
  name: 'networks',
  title: 'Networks',
  module: {
    description: 'Network interfaces with their addresses and traffic, and the connections of all processes',
    schema: async () => (await import('./networks.schema.ts')).networksSchema,
    everyMs: 2000,
    empty: unknownNetworks,
    keepsEntries: true,
    readings: async () => (await import('./networks.readings.ts')).networksReadings,
    sources: {
      linux: async () => (await import('./networks.linux.ts')).networksLinux,
      windows: async () => (await import('./networks.windows.ts')).networksWindows,
    },
  },
  actions: [networkWake],
  commands: networksCommands,
});
