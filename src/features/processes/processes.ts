import { defineFeature } from '../../core/feature.ts';
import { processDetails } from './processes.actions.ts';
import { busiestProcesses } from './processes.busiest.ts';
import { processesCommands } from './processes.commands.ts';
import { processControls } from './processes.control.ts';
import type { Process } from './processes.schema.ts';

export const processes = defineFeature<Process[]>({
  name: 'processes',
  title: 'Processes',
  module: {
    description: 'Every running process, with its program, user, CPU and memory usage',
    schema: async () => (await import('./processes.schema.ts')).processesSchema,
    everyMs: 2000,
    empty: [],
    keepsEntries: true,
    metrics: async () => (await import('./processes.metrics.ts')).processesMetrics,
    otlp: async () => (await import('./processes.otlp.ts')).processesOtlp,
    history: async () => (await import('./processes.history.ts')).processesHistory,
    entities: async () => (await import('./processes.entities.ts')).processesEntities,
    sources: {
      linux: async () => (await import('./processes.linux.ts')).processesLinux,
      windows: async () => (await import('./processes.windows.ts')).processesWindows,
    },
  },
  actions: [processDetails, busiestProcesses, ...processControls],
  commands: processesCommands,
});
