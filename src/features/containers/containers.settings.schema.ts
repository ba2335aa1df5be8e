import { z } from 'zod';
import { textSchema } from '../../settings/fields.schema.ts';

export const containersSettingsSchema = z.object({
  allowlist: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/, 'the exact name of a container, without patterns'))
    .max(1000)
    .describe('Names of the only containers that clients can start, stop, restart, pause and resume')
    .meta({ title: 'Allowed containers', examples: [['web']] }),
  sockets: z
    .array(textSchema.regex(/^\/[^\0]*$/, 'an absolute path of a Unix socket'))
    .max(16)
    .describe(
      'Further sockets of Docker or Podman to read, as absolute paths; the usual ones are found anyway. Name only sockets that you trust',
    )
    .meta({ title: 'Additional sockets', examples: [['/run/user/1000/podman/podman.sock']] }),
});

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    containers: z.infer<typeof containersSettingsSchema>;
  }
}
