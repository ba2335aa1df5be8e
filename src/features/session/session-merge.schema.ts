import { z } from 'zod';

/** Unknown fields are refused: what was meant by them would not happen. */
export const sessionSwitchInputSchema = z.strictObject({
  on: z.boolean().describe('true switches it on, false off'),
});
export type SessionSwitchInput = z.infer<typeof sessionSwitchInputSchema>;

export const sessionSwitchOutputSchema = z.object({
  on: z.boolean().describe('What it was switched to'),
  by: z.string().describe('The program that was told, such as dunst or GNOME'),
  confirmed: z
    .boolean()
    .describe('Whether it was seen to be so; some programs do not show it, and a night light may wait for the evening'),
});
export type SessionSwitchOutput = z.infer<typeof sessionSwitchOutputSchema>;
