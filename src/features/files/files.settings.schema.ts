import { z } from 'zod';
import { nameSchema as name, textSchema as text } from '../../settings/fields.schema.ts';

export const mediaSettingsSchema = z.object({
  directories: z
    .array(z.object({ name, path: text.min(1) }))
    .max(100)
    .describe('Additional directories whose files are served; each is {name, path}')
    .meta({ title: 'Additional directories' }),
});

/** Separate from media, because existing clients expect exactly its key there. */
export const filesSettingsSchema = z.object({
  hidden: z
    .boolean()
    .describe(
      'Serve hidden files and directories too, those whose names begin with a dot; the files of Hostler itself are never served',
    ),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    media: z.infer<typeof mediaSettingsSchema>;
    files: z.infer<typeof filesSettingsSchema>;
  }
}
