import { gauge, type ModuleMetrics } from '../../core/metrics.ts';
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
        'Share of the time the processor worked',
        each(({ core_load }) => core_load, 0.01),
      ),
      gauge(
        'hostler_gpu_memory_load_ratio',
        'Share of the time the memory was used',
        each(({ memory_load }) => memory_load, 0.01),
      ),
      gauge(
        'hostler_gpu_clock_hertz',
        'Clock of the processor',
        each(({ core_clock }) => core_clock, 1e6),
      ),
      gauge(
        'hostler_gpu_memory_clock_hertz',
        'Clock of the memory',
        each(({ memory_clock }) => memory_clock, 1e6),
      ),
      gauge(
        'hostler_gpu_memory_total_bytes',
        'Memory of its own',
        each(({ memory_total }) => memory_total, mebibyte),
      ),
      gauge(
        'hostler_gpu_memory_used_bytes',
        'Memory in use',
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
