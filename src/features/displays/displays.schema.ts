import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const displaySchema = z.object({
  id: z.string().describe('Display identifier'),
  name: z.string().describe('Display name'),
  resolution_horizontal: z
    .number()
    .nonnegative()
    .describe('Horizontal resolution, pixels; 0 when unknown')
    .meta(unit('pixels')),
  resolution_vertical: z
    .number()
    .nonnegative()
    .describe('Vertical resolution, pixels; 0 when unknown')
    .meta(unit('pixels')),
  x: z.number().describe('X position in the virtual desktop, pixels').meta(unit('pixels')),
  y: z.number().describe('Y position in the virtual desktop, pixels').meta(unit('pixels')),
  width: z.number().nonnegative().nullable().describe('Physical width, millimetres').meta(unit('millimetres')),
  height: z.number().nonnegative().nullable().describe('Physical height, millimetres').meta(unit('millimetres')),
  is_primary: z.boolean().nullable().describe('Whether this is the primary display'),
  pixel_clock: z.number().nonnegative().nullable().describe('Pixel clock, MHz').meta(unit('megahertz')),
  refresh_rate: z.number().nonnegative().nullable().describe('Refresh rate, Hz').meta(unit('hertz')),
  brightness: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Brightness, 0-100; null where it cannot be read')
    .meta(unit('percent')),
  contrast: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Contrast of a monitor, 0-100; null where it does not report it; Linux only')
    .meta(unit('percent')),
  input_source: z
    .string()
    .nullable()
    .describe('Input a monitor shows, such as HDMI-1 or DisplayPort-1; null where it does not report it; Linux only'),
  inputs: z
    .array(z.string())
    .nullable()
    .describe('Inputs of a monitor, as far as it lists them; null if it does not; Linux only'),
  power: z
    .enum(['on', 'off'])
    .nullable()
    .describe('Whether it is on, or off to save power; null where that is not known; Linux only'),
});

export const displaysSchema = z.array(displaySchema);

export type Displays = z.infer<typeof displaysSchema>;

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
export type DisplayPercentInput = z.infer<typeof displayBrightnessInputSchema>;
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
export const displayContrastInputSchema = z.strictObject({
  display,
  percent: z.number().min(0).max(100).describe('Contrast, 0-100'),
});
export const displayContrastOutputSchema = z.object({
  displays: z
    .array(
      z.object({
        id: z.string().describe('Monitor that was changed'),
        contrast: z.number().describe('Its contrast now, 0-100'),
      }),
    )
    .describe('What was changed'),
});
export const displayInputInputSchema = z.strictObject({
  display: display.describe(
    'id of a monitor, as listed by the module displays; may be omitted where there is only one',
  ),
  input: z
    .string()
    .min(1)
    .max(32)
    .describe('Input to show, as listed in inputs of the module displays, such as HDMI-1; Input-N by its number'),
});
export type DisplayInputInput = z.infer<typeof displayInputInputSchema>;
export const displayInputOutputSchema = z.object({
  display: z.string().describe('id of the monitor'),
  input: z.string().describe('Input it was switched to'),
});
export const displayPowerInputSchema = z.strictObject({
  display,
  on: z.boolean().describe('true switches it on, false off, to save power; GNOME and X11 switch all displays together'),
});
export type DisplayPowerInput = z.infer<typeof displayPowerInputSchema>;
export const displayPowerOutputSchema = z.object({
  displays: z.array(z.string()).describe('ids of the displays that were switched'),
  power: z.enum(['on', 'off']).describe('What they were switched to'),
  confirmed: z.boolean().describe('Whether they were seen to obey'),
});
