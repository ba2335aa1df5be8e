import { z } from 'zod';

const most = 30 * 24 * 3600;

export const controlPauseInputSchema = z.object({
  seconds: z
    .number()
    .min(1)
    .max(most)
    .nullish()
    .describe(`How long, up to 30 days (${most}); left out: until it is resumed`),
});

export type ControlPauseInput = z.infer<typeof controlPauseInputSchema>;

export const controlNoInputSchema = z.object({});

export const controlStateSchema = z.object({
  paused: z.boolean().describe('Whether control is paused: actions are refused, reading goes on'),
  since: z.string().nullable().describe('When it was paused, ISO 8601 in UTC; null: it is not paused'),
  until: z
    .string()
    .nullable()
    .describe('When the pause ends, ISO 8601 in UTC; null: it is not paused, or until it is resumed'),
  by: z.string().nullable().describe('Name of the token it was paused with; null: it is not paused'),
});

export type ControlState = z.infer<typeof controlStateSchema>;
