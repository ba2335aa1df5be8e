import { defineFeature } from '../../core/feature.ts';
import { containerActions } from './containers.actions.ts';
import { containersCommands } from './containers.commands.ts';
import type { Containers } from './containers.schema.ts';

export const containers = defineFeature<Containers>({
  name: 'containers',
  title: 'Containers',
  module: {
    description: 'Containers of Docker and Podman: state, health, restarts, CPU, memory, network, disk and ports',
    schema: async () => (await import('./containers.schema.ts')).containersSchema,
    everyMs: 2000,
    empty: { engines: [], containers: [] },
    readings: async () => (await import('./containers.readings.ts')).containersReadings,
    sources: {
      linux: async () => (await import('./containers.linux.ts')).containersLinux,
      windows: async () => (await import('./containers.windows.ts')).containersWindows,
    },
  },
  actions: containerActions,
  scopes: {
    containers: {
      description:
        'start, stop, restart, pause and resume the allow-listed containers, and read the output of every container',
      label: 'control containers',
      after: 'services',
      gravity: 70,
    },
  },
  settings: {
    containers: {
      schema: async () => (await import('./containers.settings.schema.ts')).containersSettingsSchema,
      defaults: { allowlist: [], sockets: [] },
      after: 'services',
    },
  },
  commands: containersCommands,
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    containers: true;
  }
}
