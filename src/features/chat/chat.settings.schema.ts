import { z } from 'zod';

export const chatSettingsSchema = z.object({
  oauthUrl: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)])
    .describe("OAuth address for the voice chat; empty means the one of the application's vendor")
    .meta({ title: 'OAuth address' }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    chat: z.infer<typeof chatSettingsSchema>;
  }
}
