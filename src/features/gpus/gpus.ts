import { defineFeature } from '../../core/feature.ts';
import type { Gpus } from './gpus.schema.ts';

export const gpus = defineFeature<Gpus>({
  name: 'gpus',
  title: 'Graphics',
  module: {
    description: 'Graphics processors: clocks, load, memory, power, temperature, and the processes that use them',
    schema: async () => (await import('./gpus.schema.ts')).gpusSchema,
    everyMs: 1000,
    // NVIDIA's library blocks, for seconds while the driver starts or a GPU is stuck.
    isolated: {
      linux: async () => {
        const { hasNvidiaDriver } = await import('./linux/nvidia-driver.ts');
        return ({ files }) => hasNvidiaDriver(files);
      },
      windows: async () => () => true,
    },
    empty: [],
    readings: async () => (await import('./gpus.readings.ts')).gpusReadings,
    sources: {
      linux: async () => (await import('./gpus.linux.ts')).gpusLinux,
      windows: async () => (await import('./gpus.windows.ts')).gpusWindows,
    },
  },
  selfTest: { part: 'gpu', run: async () => (await import('./gpus.self-test.ts')).testGpu },
});
