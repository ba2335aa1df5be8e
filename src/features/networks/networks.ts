import { defineFeature } from '../../core/feature.ts';
import { networkWake } from './networks.actions.ts';
import type { Networks } from './networks.schema.ts';

export const networks = defineFeature<Networks>({
  name: 'networks',
  title: 'Networks',
  module: {
    description: 'Network interfaces with their addresses and traffic, and the connections of all processes',
    schema: async () => (await import('./networks.schema.ts')).networksSchema,
    everyMs: 2000,
    empty: { networks: [], connections: [], io: null },
    keepsEntries: true,
    readings: async () => (await import('./networks.readings.ts')).networksReadings,
    sources: {
      linux: async () => (await import('./networks.linux.ts')).networksLinux,
      windows: async () => (await import('./networks.windows.ts')).networksWindows,
    },
  },
  actions: [networkWake],
  commands: [
    {
      usage: 'wake <mac>',
      description: 'wake another machine on this network by its hardware address (wake-on-LAN)',
      place: { group: 'control', rank: 9 },
      options: [
        {
          flags: '--broadcast <address>',
          description: 'broadcast address of the network to call in (default: every network)',
        },
        { flags: '--port <number>', description: 'UDP port (default: 9)' },
      ],
      json: 'print JSON instead of a table',
      action: { name: 'network.wake' },
    },
  ],
});
