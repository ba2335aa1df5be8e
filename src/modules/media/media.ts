import { defineModule } from '../../core/module.ts';
import type { Media } from './media.schema.ts';

const nothingPlays: Media = {
  title: null,
  artist: null,
  album_title: null,
  album_artist: null,
  subtitle: null,
  type: null,
  status: null,
  position: null,
  duration: null,
  playback_rate: null,
  volume: null,
  shuffle: null,
  repeat: null,
  track_number: null,
  is_play_enabled: null,
  is_pause_enabled: null,
  is_stop_enabled: null,
  is_next_enabled: null,
  is_previous_enabled: null,
  is_fast_forward_enabled: null,
  is_rewind_enabled: null,
  thumbnail: null,
  updated_at: null,
};

export const media = defineModule<Media>({
  name: 'media',
  description: 'What the current media player plays, and what it can do',
  schema: async () => (await import('./media.schema.ts')).mediaSchema,
  everyMs: 30_000,
  empty: nothingPlays,
  sources: {},
});
