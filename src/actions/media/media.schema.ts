import { z } from 'zod';

export const mediaControlInputSchema = z.object({
  action: z
    .string()
    .max(32)
    .describe(
      'PLAY, PAUSE, PLAY_PAUSE, STOP, NEXT, PREVIOUS, SEEK (value: seconds from here, negative goes back), POSITION (value: seconds from the beginning), REWIND, FASTFORWARD (value: seconds, 10 unless given), VOLUME (value: 0-100), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (toggles, and restores the level), SHUFFLE (value: boolean) or REPEAT (value: 0 off, 1 one title, 2 all)',
    ),
  value: z
    .union([z.number(), z.boolean(), z.string().max(32)])
    .nullish()
    .describe('What the action takes; see there'),
  player: z
    .string()
    .max(255)
    .nullish()
    .describe('Name of a player, as the module media lists them; the current one unless given'),
});

export type MediaControlInput = z.infer<typeof mediaControlInputSchema>;

export const mediaControlOutputSchema = z.object({
  action: z.string().describe('What was done'),
  player: z.string().nullable().describe('Name of the player that did it; null: the sound of the machine was changed'),
  volume: z
    .number()
    .min(0)
    .nullable()
    .describe('Volume from now on, 0-100; null where the action is about something else'),
});

export type MediaControlOutput = z.infer<typeof mediaControlOutputSchema>;
