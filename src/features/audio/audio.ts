import { defineFeature } from '../../core/feature.ts';
import { audioControl } from './audio.actions.ts';
import { noAudio } from './audio.empty.ts';
import type { Audio } from './audio.schema.ts';

export const audio = defineFeature<Audio>({
  name: 'audio',
  title: 'Sound',
  module: {
    description: 'Outputs, inputs and the streams of programs, with their volumes',
    schema: async () => (await import('./audio.schema.ts')).audioSchema,
    everyMs: 30_000,
    empty: noAudio,
    readings: async () => (await import('./audio.readings.ts')).audioReadings,
    sources: {
      linux: async () => (await import('./audio.linux.ts')).audioLinux,
      windows: async () => (await import('./audio.windows.ts')).audioWindows,
    },
  },
  actions: [audioControl],
});
