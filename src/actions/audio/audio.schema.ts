import { z } from 'zod';

export const audioControlInputSchema = z.object({
  action: z
    .string()
    .max(32)
    .describe(
      'VOLUME (value: 0-150), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (value: boolean; toggles without one), DEFAULT (makes device the one that programs use) or MOVE (lets stream use device)',
    ),
  value: z.union([z.number(), z.boolean()]).nullish().describe('What the action takes; see there'),
  device: z
    .string()
    .max(1000)
    .nullish()
    .describe('Output or input by its id, as the module audio lists them; the default output unless given'),
  kind: z
    .enum(['sink', 'source', 'playback', 'recording'])
    .nullish()
    .describe('source, recording: an input is meant, or a stream that records; output and playback unless given'),
  stream: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .nullish()
    .describe('Stream of a program by its id, as the module audio lists them, instead of a device'),
});

export type AudioControlInput = z.infer<typeof audioControlInputSchema>;

export const audioControlOutputSchema = z.object({
  action: z.string().describe('What was done'),
  device: z.string().describe('Id of the output or input that it was done to, or that the stream uses'),
  stream: z.int().nullable().describe('Id of the stream that it was done to; null: to the device'),
  volume: z.number().nullable().describe('Volume from now on, percent; null: it has none'),
  is_muted: z.boolean().describe('Whether it is silent from now on'),
});

export type AudioControlOutput = z.infer<typeof audioControlOutputSchema>;
