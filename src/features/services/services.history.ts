import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Services } from './services.schema.ts';

export const servicesHistory: ModuleHistory<Services> = {
  series: {},
  sets: {
    failed: { kind: 'service', came: (name) => `${name} failed`, went: (name) => `${name} is no longer failed` },
  },
  // On Linux alone: elsewhere there is no cheap way to notice.
  samplers: { linux: async () => (await import('./linux/services.sampler.ts')).servicesHistoryLinux },
};
