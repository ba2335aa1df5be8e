import { z } from 'zod';

export const batterySettingsSchema = z.object({
  nut: z
    .string()
    .max(262)
    .regex(/^$|^([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$/, 'an address such as 127.0.0.1:3493')
    .describe('Address of the upsd (Network UPS Tools) whose UPSes are read, without a login; empty means none')
    .meta({ title: 'NUT server', examples: ['127.0.0.1:3493'] }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    battery: z.infer<typeof batterySettingsSchema>;
  }
}
