import { z } from 'zod';

export const powerInputSchema = z.object({
  delay: z.number().min(0).max(3600).nullish().describe('Seconds to wait first; default 0'),
  force: z.boolean().nullish().describe('Do it even if a program is blocking it (with an inhibitor lock)'),
});

export type PowerInput = z.infer<typeof powerInputSchema>;

export const powerCancelInputSchema = z.object({});

export const powerOutputSchema = z.object({
  action: z.string().describe('What was ordered'),
  at: z.string().describe('When it happens or happened, ISO 8601 in UTC'),
});

export type PowerOutput = z.infer<typeof powerOutputSchema>;
