import { z } from 'zod';

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
    // Not the only ones: older names are understood as well.
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
