import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Gpu, Gpus } from './gpus.schema.ts';

export const gpusMetrics: ModuleMetrics<Gpus> = {
  read(gpus) {
    const each = (value: (gpu: Gpu) => number | null, factor = 1) =>
      gpus.map((gpu) => {
        const known = value(gpu);
        return [{ gpu: gpu.id, name: gpu.name }, known === null ? null : known * factor] as const;
      });
    return [
      gauge(
        'hostler_gpu_load_ratio',
        'Share of time the GPU was busy',
        each(({ core_load }) => core_load, 0.01),
      ),
      gauge(
        'hostler_gpu_memory_load_ratio',
        'Share of time the memory was in use',
        each(({ memory_load }) => memory_load, 0.01),
      ),
      gauge(
        'hostler_gpu_clock_hertz',
        'GPU clock',
        each(({ core_clock }) => core_clock, 1e6),
      ),
      gauge(
        'hostler_gpu_memory_clock_hertz',
        'Memory clock',
        each(({ memory_clock }) => memory_clock, 1e6),
      ),
      gauge(
        'hostler_gpu_memory_total_bytes',
        'Dedicated memory',
        each(({ memory_total }) => memory_total, mebibyte),
      ),
      gauge(
        'hostler_gpu_memory_used_bytes',
        'Dedicated memory in use',
        each(({ memory_used }) => memory_used, mebibyte),
      ),
      gauge(
        'hostler_gpu_power_watts',
        'Power draw',
        each(({ power_usage }) => power_usage),
      ),
      gauge(
        'hostler_gpu_temperature_celsius',
        'Temperature',
        each(({ temperature }) => temperature),
      ),
    ];
  },
};

const mebibyte = 1024 ** 2;
