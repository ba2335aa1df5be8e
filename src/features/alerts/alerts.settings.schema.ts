import type { z } from 'zod';
import type { alertsSettingsSchema } from '../../alerts/alerts.settings.schema.ts';

export { alertsSettingsSchema } from '../../alerts/alerts.settings.schema.ts';

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    alerts: z.infer<typeof alertsSettingsSchema>;
  }
}
