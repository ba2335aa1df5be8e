import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const historySettingsSchema = z.object({
  enabled: z
    .boolean()
    .describe('Record how the machine is doing: samples for a day, steps of five minutes for 30 days'),
  interval: z.int().min(5).max(300).describe('Seconds between two samples').meta(unit('seconds')),
  batteryInterval: z
    .int()
    .min(5)
    .max(300)
    .describe('Seconds between two samples while the machine runs on its battery')
    .meta({ title: 'Interval on battery', ...unit('seconds') }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    history: z.infer<typeof historySettingsSchema>;
  }
}
