import { z } from 'zod';

const volume = z.number().min(0).describe('Percent of the loudest channel; above 100 it is made louder than it is');

const deviceSchema = z.object({
  id: z.string().describe('Name by which AUDIO_CONTROL takes it'),
  name: z.string().describe('Name for people'),
  is_default: z.boolean().describe('Whether programs use it unless they choose'),
  volume,
  is_muted: z.boolean(),
  state: z
    .enum(['running', 'idle', 'suspended'])
    .nullable()
    .describe('running: something plays or records; suspended: switched off to save power'),
  port: z.string().nullable().describe('Where sound comes out or in, such as Headphones; null: there is no choice'),
});

const sourceSchema = deviceSchema.extend({
  monitor_of: z.string().nullable().describe('Output whose sound it repeats, by its id; null: a real input'),
});

const streamSchema = z.object({
  id: z.int().describe('Number by which AUDIO_CONTROL takes it, together with its kind'),
  kind: z.enum(['playback', 'recording']),
  application: z.string().nullable().describe('Name of the program'),
  title: z.string().nullable().describe('What it plays or records, as the program calls it'),
  process: z.int().nullable().describe('Process id'),
  device: z.string().nullable().describe('Output or input that it uses, by its id'),
  volume: volume.nullable().describe('Percent; null: the stream has no volume of its own'),
  is_muted: z.boolean(),
  is_paused: z.boolean().describe('Paused by the program itself'),
});

export const audioSchema = z.object({
  server: z.string().nullable().describe('Sound server and its version'),
  default_sink: z.string().nullable().describe('Output that programs use unless they choose, by its id'),
  default_source: z.string().nullable().describe('Input that programs use unless they choose, by its id'),
  sinks: z.array(deviceSchema).describe('Outputs, such as speakers'),
  sources: z.array(sourceSchema).describe('Inputs, such as microphones'),
  streams: z.array(streamSchema).describe('What programs play and record'),
});

export type Audio = z.infer<typeof audioSchema>;
