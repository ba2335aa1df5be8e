import { z } from 'zod';

export const controlMediaInputSchema = z.strictObject({
  action: z.enum([
    'play',
    'pause',
    'play_pause',
    'stop',
    'next',
    'previous',
    'seek',
    'position',
    'volume',
    'mute',
    'shuffle',
    'repeat',
  ]),
  value: z
    .union([z.number(), z.boolean()])
    .optional()
    .describe('seek, position: seconds; volume: 0-100; shuffle: boolean; repeat: 0 off, 1 title, 2 all'),
  player: z.string().max(255).optional(),
});

export const controlMediaOutputSchema = z.object({
  action: z.string(),
  player: z.string().nullable().describe('null: the system sound'),
  volume: z.number().nullable(),
});
