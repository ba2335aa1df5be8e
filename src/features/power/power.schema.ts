import { z } from 'zod';

export const powerInputSchema = z.object({
  delay: z.number().min(0).max(3600).nullish().describe('Seconds to wait first; default 0'),
  at: z
    .string()
    .max(64)
    .nullish()
    .describe(
      'When to do it, instead of delay: HH:MM by the clock of the machine, or an ISO time, within the next 24 hours',
    ),
  force: z.boolean().nullish().describe('Do it even if a program is blocking it (with an inhibitor lock)'),
});

export type PowerInput = z.infer<typeof powerInputSchema>;

export const powerCancelInputSchema = z.object({});

export const powerOutputSchema = z.object({
  action: z.string().describe('What was ordered'),
  at: z.string().describe('When it happens or happened, ISO 8601 in UTC'),
});

export type PowerOutput = z.infer<typeof powerOutputSchema>;

export const powerPendingSchema = z.object({
  pending: z
    .object({
      action: z.string().describe('What was ordered, such as restart'),
      at: z.string().describe('When it happens, ISO 8601 in UTC'),
      token: z.string().describe('Name of the token it was ordered with'),
    })
    .nullable()
    .describe('The pending order; null: none'),
});

export type PowerPending = z.infer<typeof powerPendingSchema>;

/** Schemas of the agent tools; other interfaces use power.schema.ts. */
export const powerActionInputSchema = (choices: readonly string[]) =>
  z.strictObject({
    action: z.enum(choices),
    delay_seconds: z.number().min(0).max(3600).optional().meta({ default: 30 }),
    at: z.string().max(64).optional().describe('Instead: HH:MM or ISO time, within 24 h'),
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
