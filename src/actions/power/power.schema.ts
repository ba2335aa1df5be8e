import { z } from 'zod';

export const powerInputSchema = z.object({
  delay: z.number().min(0).max(3600).nullish().describe('Seconds to wait before it happens; 0 unless given'),
  force: z.boolean().nullish().describe('Do it although a program asks not to (a block inhibitor)'),
});

export type PowerInput = z.infer<typeof powerInputSchema>;

export const powerCancelInputSchema = z.object({});

export const powerOutputSchema = z.object({
  action: z.string().describe('What was ordered'),
  at: z.string().describe('When it happens or happened, ISO 8601 in UTC'),
});

export type PowerOutput = z.infer<typeof powerOutputSchema>;
