import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const sessionSettingsSchema = z.object({
  idleAfter: z
    .int()
    .min(1)
    .max(86_400)
    .describe(
      'Seconds without a key or a movement of the pointer after which the session counts as idle, where the desktop lets Hostler choose',
    )
    .meta({ title: 'Idle after', ...unit('seconds') }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    session: z.infer<typeof sessionSettingsSchema>;
  }
}
