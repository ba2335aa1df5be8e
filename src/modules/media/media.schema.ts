import { z } from 'zod';

const text = (meaning: string) => z.string().nullable().describe(meaning);
const flag = (meaning: string) => z.boolean().nullable().describe(meaning);

const status = z.enum(['PLAYING', 'PAUSED', 'STOPPED', 'CHANGING']).nullable();

const playerSchema = z.object({
  name: z.string().describe('Name of the player, as MEDIA_CONTROL takes it'),
  identity: z.string().describe('How the player calls itself'),
  is_current: z.boolean().describe('Whether the other fields tell about this player'),
  status: status.describe('What it does'),
  title: text('Title of what it plays'),
  artist: text('Artist of what it plays'),
});

export const mediaSchema = z.object({
  title: text('Title of what is played'),
  artist: text('Artist'),
  album_title: text('Title of the album'),
  album_artist: text('Artist of the album'),
  subtitle: text('Subtitle'),
  type: text('Kind of media, such as music or video'),
  status: status.describe('What the player does'),
  position: z.number().nonnegative().nullable().describe('Position at updated_at, seconds'),
  duration: z.number().nonnegative().nullable().describe('Length, seconds'),
  playback_rate: z.number().nullable().describe('Speed; 1 is normal'),
  volume: z.number().min(0).max(100).nullable().describe('Volume of the player, 0-100'),
  shuffle: flag('Whether titles come in random order'),
  repeat: z.enum(['NONE', 'TRACK', 'LIST']).nullable().describe('What is repeated'),
  track_number: z.number().nullable().describe('Number of the track on its album'),
  is_play_enabled: flag('Whether it can play'),
  is_pause_enabled: flag('Whether it can pause'),
  is_stop_enabled: flag('Whether it can stop'),
  is_next_enabled: flag('Whether there is a next title'),
  is_previous_enabled: flag('Whether there is a previous title'),
  is_fast_forward_enabled: flag('Whether it can go forward'),
  is_rewind_enabled: flag('Whether it can go back'),
  thumbnail: text('Artwork: a data URL of at most 64 KiB, or an http(s) address without credentials'),
  updated_at: z.number().nullable().describe('When this was true, Unix seconds'),
  players: z.array(playerSchema).describe('All players, the current one first'),
});

export type Media = z.infer<typeof mediaSchema>;
