import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Containers } from './containers.schema.ts';

/** No series: what a container used is for those who collect metrics. But that one died is something that happened. */
export const containersHistory: ModuleHistory<Containers> = {
  series: {},
  events: { container: 'A container of Docker failed or ran out of memory' },
  samplers: { linux: async () => (await import('./linux/containers.sampler.ts')).containersHistoryLinux },
};
