import type { Media } from './media.schema.ts';

export const nothingPlays: Media = {
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
  players: [],
};

export const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;
