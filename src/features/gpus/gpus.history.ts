import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Gpus } from './gpus.schema.ts';

export const gpusHistory: ModuleHistory<Gpus> = {
  series: {
    gpu: { unit: 'percent', description: 'gpu/ID: share of the time a graphics processor worked' },
    'gpu.memory': { unit: 'percent', description: 'gpu.memory/ID: share of its memory in use' },
    'gpu.power': { unit: 'watts', description: 'gpu.power/ID: its power draw' },
    'gpu.temperature': { unit: 'celsius', description: 'gpu.temperature/ID: its temperature' },
  },
  read(gpus, moment) {
    for (const { id, core_load, memory_used, memory_total, power_usage, temperature } of gpus) {
      const memory = memory_used === null || !memory_total ? null : (100 * memory_used) / memory_total;
      for (const [series, value] of [
        ['gpu', core_load],
        ['gpu.memory', memory],
        ['gpu.power', power_usage],
        ['gpu.temperature', temperature],
      ] as const)
        if (value !== null) moment.value(series, value, id);
    }
  },
  worthReading: { linux: async () => (await import('./linux/gpus.sampler.ts')).hasGpuLinux },
};
