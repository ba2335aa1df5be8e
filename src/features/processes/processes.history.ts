import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Process } from './processes.schema.ts';

/** The processes that use most: with every sample, rather than as series. */
export const processesHistory: ModuleHistory<Process[]> = {
  series: {},
  samplers: { linux: async () => (await import('./linux/processes.sampler.ts')).processesHistoryLinux },
};
