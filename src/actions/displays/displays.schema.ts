import { z } from 'zod';

/** Unknown fields are refused: what was meant by them would not happen. */
const display = z
  .string()
  .min(1)
  .max(1000)
  .nullish()
  .describe('id of a display, as listed by the module displays; all of them if omitted');

export const displayBrightnessInputSchema = z.strictObject({
  display,
  percent: z
    .number()
    .min(0)
    .max(100)
    .describe('Brightness, 0-100; 0 is as dark as the display gets, which may be black, anything above is never black'),
});
export type DisplayBrightnessInput = z.infer<typeof displayBrightnessInputSchema>;

export const displayBrightnessOutputSchema = z.object({
  displays: z
    .array(
      z.object({
        id: z.string().describe('Display that was changed'),
        brightness: z.number().describe('Its brightness now, 0-100; some displays have a few steps only'),
      }),
    )
    .describe('What was changed'),
});
export type DisplayBrightnessOutput = z.infer<typeof displayBrightnessOutputSchema>;
