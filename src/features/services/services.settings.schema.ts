import { z } from 'zod';

const socketPath = z.string().max(4096);

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

export const containersSettingsSchema = z.object({
  allowlist: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/, 'the exact name of a container, without patterns'))
    .max(1000)
    .describe('Names of the only containers that clients can start, stop, restart, pause and resume')
    .meta({ title: 'Allowed containers', examples: [['web']] }),
  sockets: z
    .array(socketPath.regex(/^\/[^\0]*$/, 'an absolute path of a Unix socket'))
    .max(16)
    .describe(
      'Further sockets of Docker or Podman to read, as absolute paths; the usual ones are found anyway. Name only sockets that you trust',
    )
    .meta({ title: 'Additional sockets', examples: [['/run/user/1000/podman/podman.sock']] }),
});
