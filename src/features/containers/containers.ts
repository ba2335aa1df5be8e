import { defineFeature } from '../../core/feature.ts';
import { containerActions } from './containers.actions.ts';
import { containersCommands } from './containers.commands.ts';
import type { Containers } from './containers.schema.ts';

const noContainers: Containers = { engines: [], containers: [] };

export const containers = defineFeature<Containers>({
  name: 'containers',
  title: 'Containers',
  module: {
    description: 'Containers of Docker and Podman: state, health, restarts, CPU, memory, network, disk and ports',
    schema: async () => (await import('./containers.schema.ts')).containersSchema,
    everyMs: 2000,
    empty: noContainers,
    metrics: async () => (await import('./containers.metrics.ts')).containersMetrics,
    otlp: async () => (await import('./containers.otlp.ts')).containersOtlp,
    history: async () => (await import('./containers.history.ts')).containersHistory,
    entities: async () => (await import('./containers.entities.ts')).containersEntities,
    problems: async () => (await import('./containers.problems.ts')).containersProblems,
    sources: {
      linux: async () => (await import('./containers.linux.ts')).containersLinux,
      windows: async () => (await import('./containers.windows.ts')).containersWindows,
    },
  },
  actions: containerActions,
  commands: containersCommands,
});
