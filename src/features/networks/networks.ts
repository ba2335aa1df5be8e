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
    metrics: async () => (await import('./networks.metrics.ts')).networksMetrics,
    otlp: async () => (await import('./networks.otlp.ts')).networksOtlp,
    history: async () => (await import('./networks.history.ts')).networksHistory,
    entities: async (host) => await (await import('./networks.entities.ts')).networksEntities(host),
    sources: {
      linux: async () => (await import('./networks.linux.ts')).networksLinux,
      windows: async () => (await import('./networks.windows.ts')).networksWindows,
    },
  },
  actions: [networkWake],
  commands: networksCommands,
});
