import { z } from 'zod';
import { nameSchema as name, textSchema as text } from '../../settings/fields.schema.ts';

export const commandsSettingsSchema = z.object({
  allowlist: z
    .array(
      z.object({
        id: name,
        name,
        command: text.min(1),
        workingDir: text.default('').meta({ title: 'Working directory' }),
        arguments: z.array(text).max(100).default([]),
      }),
    )
    .max(1000)
    .describe(
      'The only programs that clients can run; each is {id, name, command, workingDir, arguments}, with an absolute path as command. Without a working directory a program runs in the home directory',
    )
    .meta({ title: 'Allowed commands' }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    commands: z.infer<typeof commandsSettingsSchema>;
  }
}
