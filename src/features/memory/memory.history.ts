import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Memory } from './memory.schema.ts';

export const memoryHistory: ModuleHistory<Memory> = {
  series: {
    memory: { unit: 'percent', description: 'Share of the memory that is not available' },
    swap: { unit: 'percent', description: 'Share of the swap space in use' },
  },
  read({ virtual, swap }, moment) {
    moment.value('memory', virtual.percent);
    if (swap.total) moment.value('swap', swap.percent);
  },
  samplers: { linux: async () => (await import('./memory.sampler.linux.ts')).memoryHistoryLinux },
};
