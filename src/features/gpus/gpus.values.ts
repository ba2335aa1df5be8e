import type { Gpu, GpuProcess } from './gpus.schema.ts';

export type GpuMetric = Exclude<keyof Gpu, 'id' | 'name' | 'processes' | 'fan_speed'>;
export type Metrics = Record<GpuMetric, number | null>;

export const unknownMetrics: Metrics = {
  core_clock: null,
  core_load: null,
  memory_clock: null,
  memory_load: null,
  memory_free: null,
  memory_used: null,
  memory_total: null,
  power_usage: null,
  temperature: null,
};

/** Rounded up, as nvidia-smi does. */
export const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);

export const percent = (value: number | null) =>
  value === null ? null : Math.round(10 * Math.min(100, Math.max(0, value))) / 10;

export const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);

/** Bounded because the list is sent every second. */
const mostProcesses = 50;

export const busiestFirst = (processes: readonly GpuProcess[]): GpuProcess[] =>
  processes
    .toSorted((a, b) => (b.load ?? 0) - (a.load ?? 0) || (b.memory ?? 0) - (a.memory ?? 0) || a.pid - b.pid)
    .slice(0, mostProcesses);
