import { z } from 'zod';

export const openInputSchema = z.object({
  path: z
    .string()
    .max(4096)
    .nullish()
    .describe(
      'What to open in a known directory: a directory, picture, sound, video, PDF, text or office document; absolute, or with ~/ for the home',
    ),
  url: z.string().max(8192).nullish().describe('Address to open: http, https, or mailto without attachments'),
});

export type OpenInput = z.infer<typeof openInputSchema>;

export const openOutputSchema = z.object({
  path: z.string().nullable().describe('What was opened, if it was a path'),
  url: z.string().nullable().describe('What was opened, if it was an address'),
});

export type OpenOutput = z.infer<typeof openOutputSchema>;

export const openUrlInputSchema = z.strictObject({ url: z.string().max(8192) });
export const openUrlOutputSchema = z.object({ opened: z.string() });
