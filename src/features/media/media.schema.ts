import { z } from 'zod';
import { quantityOrNull } from '../../core/quantity.schema.ts';
import { unit } from '../../core/unit.schema.ts';

const text = (meaning: string) => z.string().nullable().describe(meaning);
const flag = (meaning: string) => z.boolean().nullable().describe(meaning);

const status = z.enum(['PLAYING', 'PAUSED', 'STOPPED', 'CHANGING']).nullable();

const playerSchema = z.object({
  name: z.string().describe('Name of the player, to use with MEDIA_CONTROL'),
  identity: z.string().describe('Display name of the player'),
  is_current: z.boolean().describe('Whether the other fields describe this player'),
  status: status.describe('Playback status'),
  title: text('Title it is playing'),
  artist: text('Artist it is playing'),
  thumbnail: z
    .string()
    .optional()
    .describe('Its artwork, as in the field thumbnail, which has that of the current player; omitted if it has none'),
});

export const mediaSchema = z.object({
  title: text('Title that is playing'),
  artist: text('Artist'),
  album_title: text('Title of the album'),
  album_artist: text('Artist of the album'),
  subtitle: text('Subtitle'),
  type: text('Kind of media, such as music or video'),
  status: status.describe('Playback status'),
  position: quantityOrNull('seconds', 'Position at updated_at, seconds'),
  duration: quantityOrNull('seconds', 'Length, seconds'),
  playback_rate: z.number().nullable().describe('Speed; 1 is normal'),
  volume: z.number().min(0).max(100).nullable().describe('Volume of the player, 0-100').meta(unit('percent')),
  shuffle: flag('Whether shuffle is on'),
  repeat: z.enum(['NONE', 'TRACK', 'LIST']).nullable().describe('Repeat mode'),
  track_number: z.number().nullable().describe('Number of the track on its album'),
  is_play_enabled: flag('Whether it can play'),
  is_pause_enabled: flag('Whether it can pause'),
  is_stop_enabled: flag('Whether it can stop'),
  is_next_enabled: flag('Whether it can go to the next title'),
  is_previous_enabled: flag('Whether it can go to the previous title'),
  is_fast_forward_enabled: flag('Whether it can go forward'),
  is_rewind_enabled: flag('Whether it can go back'),
  thumbnail: text('Artwork: a data URL of at most 64 KiB, or an http(s) address without credentials'),
  updated_at: z.number().nullable().describe('Time of this reading, Unix seconds').meta(unit('unix_seconds')),
  players: z.array(playerSchema).describe('All players, the current one first'),
});

export type Media = z.infer<typeof mediaSchema>;

const actions = [
  'PLAY',
  'PAUSE',
  'PLAY_PAUSE',
  'STOP',
  'NEXT',
  'PREVIOUS',
  'SEEK',
  'POSITION',
  'REWIND',
  'FASTFORWARD',
  'VOLUME',
  'VOLUME_UP',
  'VOLUME_DOWN',
  'MUTE',
  'SHUFFLE',
  'REPEAT',
];

export const mediaControlInputSchema = z.object({
  action: z
    .string()
    .max(32)
    // Older names are accepted too.
    .meta({ examples: actions })
    .describe(
      'PLAY, PAUSE, PLAY_PAUSE, STOP, NEXT, PREVIOUS, SEEK (value: seconds from here, negative goes back), POSITION (value: seconds from the beginning), REWIND, FASTFORWARD (value: seconds, 10 unless given), VOLUME (value: 0-100), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (toggles, and restores the level), SHUFFLE (value: boolean) or REPEAT (value: 0 off, 1 one title, 2 all)',
    ),
  value: z
    .union([z.number(), z.boolean(), z.string().max(32)])
    .nullish()
    .describe('Value for the action; see action'),
  player: z
    .string()
    .max(255)
    .nullish()
    .describe('Name of a player, as listed by the module media; the current one if omitted'),
});

export type MediaControlInput = z.infer<typeof mediaControlInputSchema>;

export const mediaControlOutputSchema = z.object({
  action: z.string().describe('What was done'),
  player: z.string().nullable().describe('Name of the player that did it; null: the system sound was changed'),
  volume: z.number().min(0).nullable().describe('New volume, 0-100; null if the action is not about volume'),
});

export type MediaControlOutput = z.infer<typeof mediaControlOutputSchema>;
