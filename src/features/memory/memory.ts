import { defineFeature } from '../../core/feature.ts';
import type { Memory } from './memory.schema.ts';

const unknownMemory: Memory = {
  virtual: {
    total: null,
    available: null,
    percent: null,
    used: null,
    free: null,
    active: null,
    inactive: null,
    buffers: null,
    cached: null,
    wired: null,
    shared: null,
  },
  swap: { total: null, used: null, free: null, percent: null, sin: null, sout: null },
};

export const memory = defineFeature<Memory>({
  name: 'memory',
  title: 'Memory',
  module: {
    description: 'Physical memory and swap space',
    schema: async () => (await import('./memory.schema.ts')).memorySchema,
    everyMs: 1000,
    empty: unknownMemory,
    readings: async () => (await import('./memory.readings.ts')).memoryReadings,
    sources: {
      linux: async () => (await import('./memory.linux.ts')).memoryLinux,
      windows: async () => (await import('./memory.windows.ts')).memoryWindows,
    },
  },
});
