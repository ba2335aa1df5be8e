import { defineFeature } from '../../core/feature.ts';
import { serviceActions } from './services.actions.ts';
import type { Services } from './services.schema.ts';

const noServices: Services = {
  manager: null,
  state: null,
  user_state: null,
  counts: { active: 0, inactive: 0, failed: 0, changing: 0 },
  truncated: false,
  units: [],
};

export const services = defineFeature<Services>({
  name: 'services',
  title: 'Services',
  module: {
    description: 'Services of the machine and of the user: state, memory, CPU time, restarts; failed ones first',
    schema: async () => (await import('./services.schema.ts')).servicesSchema,
    everyMs: 5000,
    empty: noServices,
    keepsEntries: true,
    metrics: async () => (await import('./services.metrics.ts')).servicesMetrics,
    otlp: async () => (await import('./services.otlp.ts')).servicesOtlp,
    history: async () => (await import('./services.history.ts')).servicesHistory,
    entities: async () => (await import('./services.entities.ts')).servicesEntities,
    problems: async () => (await import('./services.problems.ts')).servicesProblems,
    sources: {
      linux: async () => (await import('./services.linux.ts')).servicesLinux,
      windows: async () => (await import('./services.windows.ts')).servicesWindows,
    },
  },
  actions: serviceActions,
  threads: { 'services.journal': async () => (await import('./linux/journal.thread.ts')).serveJournal },
  libraries: { scm: async () => (await import('./windows/scm.ts')).scmLibrary },
});
