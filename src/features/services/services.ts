import { defineFeature } from '../../core/feature.ts';
import { serviceActions } from './services.actions.ts';
import { servicesCommands } from './services.commands.ts';
import { noServices } from './services.payload.ts';
import type { Services } from './services.schema.ts';

export const services = defineFeature<Services>({
  name: 'services',
  title: 'Services',
  module: {
    description: 'Services of the machine and of the user: state, memory, CPU time, restarts; failed ones first',
    schema: async () => (await import('./services.schema.ts')).servicesSchema,
    everyMs: 5000,
    empty: noServices,
    keepsEntries: true,
    readings: async () => (await import('./services.readings.ts')).servicesReadings,
    sources: {
      linux: async () => (await import('./services.linux.ts')).servicesLinux,
      windows: async () => (await import('./services.windows.ts')).servicesWindows,
    },
  },
  actions: serviceActions,
  scopes: {
    services: {
      description:
        'start, stop, restart, enable and disable the allow-listed services, and read the logs of all services',
      label: 'control services',
      after: 'processes',
      gravity: 75,
    },
  },
  settings: {
    services: {
      schema: async () => (await import('./services.settings.schema.ts')).servicesSettingsSchema,
      defaults: { allowlist: [] },
      after: 'commands',
    },
  },
  commands: servicesCommands,
  threads: { 'services.journal': async () => (await import('./linux/journal.thread.ts')).serveJournal },
  libraries: { scm: async () => (await import('./windows/scm.ts')).scmLibrary },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    services: true;
  }
}
