import { z } from 'zod';

export const servicesSettingsSchema = z.object({
  allowlist: z
    .array(
      z
        .string()
        .regex(
          /^(?:(?:user:)?[A-Za-z0-9:_.\\@-]{1,246}(?<!@)\.(?:service|timer|socket|path|mount)|[A-Za-z0-9_][A-Za-z0-9 _.$()+&#-]{0,255}(?<! ))$/,
          'a whole name such as nginx.service or user:sync.service, and no template such as getty@.service; on Windows the name of a service such as Spooler',
        )
        .meta({ examples: ['nginx.service'] }),
    )
    .max(1000)
    .describe(
      'The only services that clients can start, stop, restart, enable or disable: whole names of units of systemd such as nginx.service, and user:sync.service for units of the user; on Windows names of services such as Spooler',
    )
    .meta({ title: 'Allowed services', examples: [['nginx.service']] }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    services: z.infer<typeof servicesSettingsSchema>;
  }
}
