import { z } from 'zod';

export const releasesSettingsSchema = z.object({
  url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)])
    .describe('Address of the release list, for the latest version that is shown; empty means no check')
    .meta({ title: 'Release address' }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    releases: z.infer<typeof releasesSettingsSchema>;
  }
}
