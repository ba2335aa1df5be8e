import { defineFeature } from '../../core/feature.ts';
import { processDetails } from './processes.actions.ts';
import { busiestProcesses } from './processes.busiest.ts';
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
    readings: async () => (await import('./processes.readings.ts')).processesReadings,
    sources: {
      linux: async () => (await import('./processes.linux.ts')).processesLinux,
      windows: async () => (await import('./processes.windows.ts')).processesWindows,
    },
  },
  actions: [processDetails, busiestProcesses, ...processControls],
  scopes: {
    processes: {
      description:
        'end, stop and continue processes that the user of the service may signal, and change their priority',
      label: 'end processes',
      after: 'power',
      gravity: 55,
    },
  },
  commands: [
    {
      usage: 'process <pid>',
      description: 'show everything about one process: unit, container, open files, I/O, command line',
      place: { group: 'read', rank: 4 },
      json: 'print JSON instead of a table',
      action: {
        name: 'processes.get',
        fields: { pid: { field: 'id', label: 'process ID' } },
        show: async () => (await import('./processes.cli.ts')).printProcess,
      },
    },
  ],
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    processes: true;
  }
}
