import { z } from 'zod';

export const audioControlInputSchema = z.object({
  action: z
    .string()
    .max(32)
    .meta({ examples: ['VOLUME', 'VOLUME_UP', 'VOLUME_DOWN', 'MUTE', 'DEFAULT', 'MOVE'] })
    .describe(
      'VOLUME (value: 0-150), VOLUME_UP, VOLUME_DOWN (value: percent, default 5), MUTE (value: boolean; toggles without one), DEFAULT (makes device the default) or MOVE (moves stream to device)',
    ),
  value: z.union([z.number(), z.boolean()]).nullish().describe('Value for the action; see action'),
  device: z
    .string()
    .max(1000)
    .nullish()
    .describe('id of an output or input, as listed by the module audio; the default output if omitted'),
  kind: z
    .enum(['sink', 'source', 'playback', 'recording'])
    .nullish()
    .describe('source or recording for an input or a recording stream; an output or a playback stream if omitted'),
  stream: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .nullish()
    .describe('id of the stream of a program, as listed by the module audio, instead of a device'),
});

export type AudioControlInput = z.infer<typeof audioControlInputSchema>;

export const audioControlOutputSchema = z.object({
  action: z.string().describe('What was done'),
  device: z.string().describe('id of the output or input that was changed, or that the stream uses'),
  stream: z.int().nullable().describe('id of the stream that was changed; null: the device was changed'),
  volume: z.number().nullable().describe('New volume, percent; null: it has none'),
  is_muted: z.boolean().describe('Whether it is muted now'),
});

export type AudioControlOutput = z.infer<typeof audioControlOutputSchema>;
