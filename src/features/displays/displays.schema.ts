import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const displaySchema = z.object({
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
    .describe('Inputs of a monitor, as far as it lists them; null where it does not say; Linux only'),
  power: z
    .enum(['on', 'off'])
    .nullable()
    .describe('Whether it is on, or off to save power; null where that is not known; Linux only'),
});

export const displaysSchema = z.array(displaySchema);

export type Displays = z.infer<typeof displaysSchema>;
