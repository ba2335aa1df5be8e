import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const volume = z
  .number()
  .min(0)
  .describe('Volume of the loudest channel, percent; above 100 the signal is amplified')
  .meta(unit('percent'));

const deviceSchema = z.object({
  id: z.string().describe('Identifier to use with AUDIO_CONTROL'),
  name: z.string().describe('Display name'),
  is_default: z.boolean().describe('Whether it is the default device'),
  volume,
  is_muted: z.boolean(),
  state: z
    .enum(['running', 'idle', 'suspended'])
    .nullable()
    .describe('running: something is playing or recording; suspended: powered down to save energy'),
  port: z.string().nullable().describe('Active port, such as Headphones; null: the device has no ports to choose from'),
});

const sourceSchema = deviceSchema.extend({
  monitor_of: z.string().nullable().describe('id of the output it monitors; null: a real input'),
});

const streamSchema = z.object({
  id: z.int().describe('Number to use with AUDIO_CONTROL, together with kind'),
  kind: z.enum(['playback', 'recording']),
  application: z.string().nullable().describe('Name of the program'),
  title: z.string().nullable().describe('What is being played or recorded, in the words of the program'),
  process: z.int().nullable().describe('Process id'),
  device: z.string().nullable().describe('id of the output or input it uses'),
  volume: volume.nullable().describe('Percent; null: the stream has no volume of its own'),
  is_muted: z.boolean(),
  is_paused: z.boolean().describe('Paused by the program itself'),
});

export const audioSchema = z.object({
  server: z.string().nullable().describe('Sound server and its version'),
  default_sink: z.string().nullable().describe('id of the default output'),
  default_source: z.string().nullable().describe('id of the default input'),
  sinks: z.array(deviceSchema).describe('Outputs, such as speakers'),
  sources: z.array(sourceSchema).describe('Inputs, such as microphones'),
  streams: z.array(streamSchema).describe('What programs are playing and recording'),
});

export type Audio = z.infer<typeof audioSchema>;

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
