import { asGauge, asSum } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Gpu, Gpus } from './gpus.schema.ts';

const off = { isOff: true, isDiagnostic: true };

const attributes = ({ gpu = '', name = '' }: Record<string, string>) => ({ 'hw.id': gpu, 'hw.name': name });

/** A value that this GPU does not have starts no series. */
const recorded = (name: string, title: string, description: string) => ({ name, title, description, onlyKnown: true });

export const gpusReadings = readings<Gpus>({
  rows: [
    each(
      (gpus) => gpus,
      {
        label: ({ id, name }) => ({ gpu: id, name }),
        key: ({ id }) => id,
        title: ({ name }) => name,
        device: ({ id }) => id,
      },
      [
        {
          id: 'gpu_{key}_load',
          name: '{title} load',
          help: 'Share of time the GPU was busy',
          unit: 'percent',
          value: ({ core_load }) => core_load,
          entity: { icon: 'mdi:expansion-card' },
          prometheus: { name: 'hostler_gpu_load_ratio', value: ({ core_load }) => ratio(core_load) },
          otlp: asGauge('hw.gpu.utilization', '1', (labels) => ({ ...attributes(labels), 'hw.gpu.task': 'general' })),
          record: recorded('gpu', 'Graphics', 'gpu/ID: share of the time a graphics processor worked'),
        },
        {
          id: 'gpu_{key}_temperature',
          name: '{title} temperature',
          help: 'Temperature',
          unit: 'celsius',
          value: ({ temperature }) => temperature,
          entity: true,
          prometheus: 'hostler_gpu_temperature_celsius',
          otlp: asGauge('hw.temperature', 'Cel', attributes),
          record: recorded('gpu.temperature', 'Graphics temperature', 'gpu.temperature/ID: its temperature'),
        },
        {
          id: 'gpu_{key}_power',
          name: '{title} power',
          help: 'Power draw',
          unit: 'watts',
          value: ({ power_usage }) => power_usage,
          entity: true,
          prometheus: 'hostler_gpu_power_watts',
          otlp: asGauge('hw.gpu.power', 'W', attributes),
          record: recorded('gpu.power', 'Graphics power', 'gpu.power/ID: its power draw'),
        },
        {
          id: 'gpu_{key}_memory_used',
          name: '{title} memory used',
          help: 'Dedicated memory in use',
          unit: 'bytes',
          value: ({ memory_used }) => bytes(memory_used),
          entity: { unit: 'MiB', digits: 0 },
          prometheus: 'hostler_gpu_memory_used_bytes',
          otlp: asSum('hw.gpu.memory.usage', 'By', attributes),
        },
        {
          id: 'gpu_{key}_memory_percent',
          name: '{title} memory used',
          unit: 'percent',
          // Unknown where no memory is in use, unlike the series.
          value: (gpu) => (gpu.memory_used ? memoryPercent(gpu) : null),
          entity: off,
        },
        {
          unit: 'percent',
          value: memoryPercent,
          record: recorded('gpu.memory', 'Graphics memory', 'gpu.memory/ID: share of its memory in use'),
        },
        {
          help: 'Dedicated memory',
          value: ({ memory_total }) => bytes(memory_total),
          prometheus: 'hostler_gpu_memory_total_bytes',
          otlp: asSum('hw.gpu.memory.limit', 'By', attributes),
        },
        {
          help: 'Share of time the memory was in use',
          value: ({ memory_load }) => ratio(memory_load),
          prometheus: 'hostler_gpu_memory_load_ratio',
        },
        {
          id: 'gpu_{key}_clock',
          name: '{title} clock',
          help: 'GPU clock',
          unit: 'megahertz',
          value: ({ core_clock }) => core_clock,
          entity: off,
          prometheus: { name: 'hostler_gpu_clock_hertz', scale: 1e6 },
        },
        {
          help: 'Memory clock',
          value: ({ memory_clock }) => memory_clock,
          prometheus: { name: 'hostler_gpu_memory_clock_hertz', scale: 1e6 },
        },
      ],
    ),
  ],
  history: { worthReading: { linux: async () => (await import('./linux/gpus.sampler.ts')).hasGpuLinux } },
});

/** Multiplied: a division differs from the published values in the last digit. */
const ratio = (percent: number | null) => (percent === null ? null : percent * 0.01);

const bytes = (mebibytes: number | null) => (mebibytes === null ? null : mebibytes * 1024 ** 2);

function memoryPercent({ memory_used: used, memory_total: total }: Gpu): number | null {
  return used === null || !total ? null : (100 * used) / total;
}
