import { z } from 'zod';

export const displaySchema = z.object({
  id: z.string().describe('Display identifier'),
  name: z.string().describe('Display name'),
  resolution_horizontal: z.number().nonnegative().describe('Horizontal resolution, pixels; 0 when unknown'),
  resolution_vertical: z.number().nonnegative().describe('Vertical resolution, pixels; 0 when unknown'),
  x: z.number().describe('X position in the virtual desktop, pixels'),
  y: z.number().describe('Y position in the virtual desktop, pixels'),
  width: z.number().nonnegative().nullable().describe('Physical width, millimetres; Linux only'),
  height: z.number().nonnegative().nullable().describe('Physical height, millimetres; Linux only'),
  is_primary: z.boolean().nullable().describe('Whether this is the primary display'),
  pixel_clock: z.number().nonnegative().nullable().describe('Pixel clock, MHz'),
  refresh_rate: z.number().nonnegative().nullable().describe('Refresh rate, Hz'),
});

export const displaysSchema = z.array(displaySchema);

export type Displays = z.infer<typeof displaysSchema>;
