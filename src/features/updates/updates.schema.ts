import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const count = z.int().nonnegative().nullable();

export const updatesSchema = z.object({
  updates: count.describe('Packages of all managers that have an update'),
  security_updates: count.describe('How many of them are for security, as far as the managers report it'),
  managers: z
    .array(
      z.object({
        name: z
          .enum(['apt', 'flatpak', 'fwupd', 'packagekit', 'pacman', 'snap', 'windows-update'])
          .describe('The package manager; fwupd manages firmware'),
        updates: count.describe(
          'Packages of this manager that have an update; those held back by the user are left out',
        ),
        security_updates: count.describe('How many of them are for security'),
        checked_at: z
          .number()
          .nullable()
          .describe('When the manager last refreshed its lists, Unix seconds; Hostler never does')
          .meta(unit('unix_seconds')),
        packages: z
          .array(
            z.object({
              name: z.string().describe('With its architecture where that is not the one of the machine'),
              current: z.string().describe('Version that is installed; empty if the manager does not report it'),
              candidate: z.string().describe('Version that would be installed'),
              security: z.boolean().nullable().describe('Whether it is for security'),
            }),
          )
          .describe('The first 250 of them, those for security before the others'),
        origins: z
          .array(
            z.object({
              origin: z.string().describe('Archive, repository or remote, such as Debian:bookworm/stable'),
              architecture: z
                .string()
                .describe('Architecture of the packages; empty if the manager does not report it'),
              updates: z.int().nonnegative().describe('Packages from there that have an update'),
            }),
          )
          .describe('Where the updates come from'),
      }),
    )
    .describe('Package managers of this machine'),
  changes: z
    .array(
      z.object({
        at: z.number().describe('When, Unix seconds').meta(unit('unix_seconds')),
        manager: z.enum(['apt', 'pacman']).describe('The package manager'),
        name: z.string().describe('With its architecture where the log names one'),
        from: z.string().describe('Version before; empty: it was not installed'),
        to: z.string().describe('Version afterwards; empty: it was removed'),
      }),
    )
    .nullable()
    .describe('Packages that were installed, upgraded or removed in the last seven days, newest first, at most 250'),
  reboot: z.object({
    required: z.boolean().nullable().describe('Whether a restart is needed to use what was installed'),
    reasons: z.array(z.string()).describe('Why, as sentences'),
  }),
});

export type Updates = z.infer<typeof updatesSchema>;
