import type { Audio } from './audio.schema.ts';

export const noAudio: Audio = {
  server: null,
  default_sink: null,
  default_source: null,
  sinks: [],
  sources: [],
  streams: [],
};
