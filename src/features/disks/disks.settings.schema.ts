import { z } from 'zod';
import { textSchema as text } from '../../settings/fields.schema.ts';

export const disksSettingsSchema = z.object({
  allowedSecondaryMountPoints: z
    .array(text)
    .max(1000)
    .describe('Bind and squashfs mounts to include in the module disks')
    .meta({ title: 'Secondary mounts' }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    disks: z.infer<typeof disksSettingsSchema>;
  }
}
