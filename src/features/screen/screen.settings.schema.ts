import { z } from 'zod';

export const screenSettingsSchema = z.object({
  allowed: z
    .boolean()
    .describe(
      'Let tokens with the scope screen take pictures of the screen; the user at the screen is notified each time. Can be set only in the file or with the CLI',
    )
    .meta({ title: 'Allow screenshots' }),
  askForAgents: z
    .boolean()
    .describe(
      'Ask the user each time an agent wants a picture of the screen, or the program of the agent where mcp.trustClientConfirmation is set. Can be set only in the file or with the CLI',
    )
    .meta({ title: 'Ask for agents' }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    screen: z.infer<typeof screenSettingsSchema>;
  }
}
