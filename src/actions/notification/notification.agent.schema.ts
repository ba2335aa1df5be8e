import { z } from 'zod';

export const sendNotificationInputSchema = z.strictObject({
  title: z.string().max(120),
  message: z.string().max(1000).optional(),
  actions: z.array(z.string().min(1).max(40)).max(3).optional().describe('Buttons; waits until one is pressed'),
});

export const sendNotificationOutputSchema = z.object({
  shown: z.boolean(),
  pressed: z.string().nullable().optional().describe('null: no button within 45 s'),
});
