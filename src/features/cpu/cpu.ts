import { defineFeature } from '../../core/feature.ts';
import type { Cpu } from './cpu.schema.ts';

const unknownTimes = { user: null, system: null, idle: null, interrupt: null, dpc: null };

const unknownCpu: Cpu = {
  count: null,
  name: null,
  vendor: null,
  family: null,
  frequency: { current: null, min: null, max: null },
  load_average: null,
  per_cpu: [],
  power: null,
  stats: { ctx_switches: null, interrupts: null, soft_interrupts: null, syscalls: null },
  temperature: null,
  times: unknownTimes,
  times_percent: unknownTimes,
  usage: null,
  voltage: null,
};

export const cpu = defineFeature<Cpu>({
  name: 'cpu',
  title: 'Processor',
  module: {
    description: 'The processor: usage, times, frequency, power, temperature and voltage, in total and per core',
    schema: async () => (await import('./cpu.schema.ts')).cpuSchema,
    everyMs: 1000,
    empty: unknownCpu,
    readings: async () => (await import('./cpu.readings.ts')).cpuReadings,
    sources: {
      linux: async () => (await import('./cpu.linux.ts')).cpuLinux,
      windows: async () => (await import('./cpu.windows.ts')).cpuWindows,
    },
  },
});
