import { defineFeature } from '../../core/feature.ts';
import { mediaControl } from './media.actions.ts';
import { nothingPlays } from './media.empty.ts';
import type { Media } from './media.schema.ts';
import { playActions } from './play.actions.ts';

export const media = defineFeature<Media>({
  name: 'media',
  title: 'Media',
  module: {
    description: 'What the current media player is playing, and what it can do',
    schema: async () => (await import('./media.schema.ts')).mediaSchema,
    everyMs: 30_000,
    empty: nothingPlays,
    readings: async () => (await import('./media.readings.ts')).mediaReadings,
    sources: {
      linux: async () => (await import('./media.linux.ts')).mediaLinux,
      windows: async () => (await import('./media.windows.ts')).mediaWindows,
    },
  },
  actions: [mediaControl, ...playActions],
  scopes: {
    media: {
      description: 'control media players and volume, play sounds, say texts',
      label: 'control media and volume',
      after: 'files',
      gravity: 20,
      agents: true,
    },
  },
  libraries: { mediacontrol: async () => (await import('./windows/mediacontrol.ts')).mediacontrolLibrary },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    media: true;
  }
}
