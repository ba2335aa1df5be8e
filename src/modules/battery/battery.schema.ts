import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const batterySchema = z.object({
  is_charging: z.boolean().nullable().describe('Whether the battery is charging'),
  percentage: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Charge level of all batteries together, 0-100')
    .meta(unit('percent')),
  time_remaining: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Time until empty, or until full while charging, seconds')
    .meta(unit('seconds')),
});

export type Battery = z.infer<typeof batterySchema>;
