import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const volume = z
  .number()
  .min(0)
  .max(100)
  .nullish()
  .describe('Volume relative to the usual one; default 100')
  .meta(unit('percent'));

export const sayInputSchema = z.strictObject({
  text: z.string().trim().min(1).max(1000).describe('What is said; control characters become spaces'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/)
    .nullish()
    .describe('Language of the voice, such as de or en-GB; default that of the synthesiser'),
  rate: z
    .number()
    .min(50)
    .max(200)
    .nullish()
    .describe('Speed relative to the usual one; default 100')
    .meta(unit('percent')),
  volume,
});
export type SayInput = z.infer<typeof sayInputSchema>;

export const sayOutputSchema = z.object({
  by: z.string().describe('The program that speaks: speech-dispatcher or espeak-ng'),
  ahead: z.int().nonnegative().describe('Number of texts that are spoken before this one'),
});
export type SayOutput = z.infer<typeof sayOutputSchema>;

export const playInputSchema = z.strictObject({
  url: z
    .url()
    .max(8192)
    .nullish()
    .describe('An http or https address of a sound of at most 16 MiB, not on this machine itself'),
  path: z.string().max(4096).nullish().describe('Instead: a file inside a known directory; absolute, or with ~/'),
  volume,
  output: z.string().max(256).nullish().describe('Id of an output in the module audio; default: the usual one'),
});
export type PlayInput = z.infer<typeof playInputSchema>;

export const playOutputSchema = z.object({ by: z.string().describe('The program that plays: mpv or ffplay') });
export type PlayOutput = z.infer<typeof playOutputSchema>;

export const endSoundInputSchema = z.strictObject({});
export const endSoundOutputSchema = z.object({ ended: z.int().nonnegative().describe('How many were ended') });
export type EndSoundOutput = z.infer<typeof endSoundOutputSchema>;
