import { z } from 'zod';

/** What agents pass and get; people at other doors have power.schema.ts. */
export const powerActionInputSchema = (choices: readonly string[]) =>
  z.strictObject({
    action: z.enum(choices),
    delay_seconds: z.number().min(0).max(3600).default(30),
    reason: z.string().max(200).optional().describe('Shown to the user'),
  });

export const powerActionOutputSchema = z.object({
  scheduled: z.string().describe('What happens'),
  at: z.string().describe('ISO time'),
});

export const agentNoInputSchema = z.strictObject({});

export const lockedOutputSchema = z.object({
  locked: z.boolean(),
  message: z.string().describe('Says so if the lock could not be confirmed'),
});

export const cancelledOutputSchema = z.object({ cancelled: z.string().describe('The order that was cancelled') });
