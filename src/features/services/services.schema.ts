import { z } from 'zod';
import { quantityOrNull } from '../../core/quantity.schema.ts';

export const serviceScopes = ['system', 'user'] as const;

export const serviceUnitSchema = z.object({
  name: z.string().describe('Name of the unit, such as nginx.service; on Windows that of the service, such as Spooler'),
  scope: z
    .enum(serviceScopes)
    .describe('Whose unit it is: of the machine (system), or of the user whose service this is (user)'),
  description: z.string().describe('Description of the unit'),
  allowed: z
    .boolean()
    .describe('Whether services.allowlist in the settings names it, so that it can be started and stopped'),
  load_state: z
    .string()
    .describe('loaded, masked, not-found, bad-setting, error; unloaded: it is installed and has not been used'),
  active_state: z
    .string()
    .describe('active, reloading, inactive, failed, activating, deactivating, maintenance or refreshing'),
  sub_state: z.string().describe('The same in more detail, as the kind of unit has it: running, exited, dead …'),
  since: quantityOrNull('unix_seconds', 'Since when it is in this state, Unix seconds'),
  main_pid: z.int().positive().nullable().describe('ID of its main process'),
  memory: quantityOrNull('bytes', 'Memory of all its processes together, with what they have in the cache, bytes'),
  cpu_time: quantityOrNull('seconds', 'CPU time of all its processes since it was started, seconds'),
  restarts: z.int().nonnegative().nullable().describe('How often it was restarted because it had ended'),
  enabled: z
    .string()
    .nullable()
    .describe(
      'Whether it is started with the machine: enabled, disabled, static, masked, indirect, generated …; on Windows enabled, manual or disabled',
    ),
});

const count = (meaning: string) => z.int().nonnegative().describe(meaning);

export const servicesSchema = z.object({
  manager: z
    .enum(['systemd', 'openrc', 'windows'])
    .nullable()
    .describe('What starts and watches the services of this machine'),
  state: z
    .string()
    .nullable()
    .describe('State of the manager of the machine: running, degraded (something failed), starting, stopping …'),
  user_state: z.string().nullable().describe('The same of the manager of the user whose service this is'),
  counts: z
    .object({
      active: count('Units that run, or did what they are for'),
      inactive: count('Units that do not run'),
      failed: count('Units that failed'),
      changing: count('Units that are being started, stopped or reloaded'),
    })
    .describe('How many there are, those included that the list leaves out'),
  truncated: z.boolean().describe('Whether the list leaves some out, because there are too many'),
  units: z
    .array(serviceUnitSchema)
    .describe('All services, and other units that failed; failed ones first, then by name'),
});

export type Services = z.infer<typeof servicesSchema>;
export type ServiceUnit = z.infer<typeof serviceUnitSchema>;
export type ServiceScope = (typeof serviceScopes)[number];

export const serviceVerbs = ['start', 'stop', 'restart', 'enable', 'disable'] as const;
export type ServiceVerb = (typeof serviceVerbs)[number];

/** A unit of systemd or a service of Windows; the platform's control checks which. */
const unitName = z
  .string()
  .max(256)
  .regex(
    /^(?:(?:user:)?[A-Za-z0-9:_.\\@-]{1,246}|[A-Za-z0-9_][A-Za-z0-9 _.$()+&#-]{0,255}(?<! ))$/,
    'must be a whole name such as nginx.service or user:sync.service, or on Windows that of a service such as Spooler',
  )
  .describe('Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler');

export const serviceOrderInputSchema = z.strictObject({ unit: unitName });
export type ServiceOrderInput = z.infer<typeof serviceOrderInputSchema>;

export const serviceOrderOutputSchema = z.object({
  unit: z.string().describe('As it was given'),
  action: z.enum(serviceVerbs),
  active_state: z.string().nullable().describe('What the unit does afterwards: active, inactive …; null: not queried'),
  sub_state: z.string().nullable().describe('The same in more detail'),
  enabled: z.string().nullable().describe('Whether it starts with the machine now; null: not queried'),
  done: z.boolean().describe('false: it takes longer, and goes on'),
});
export type ServiceOrderOutput = z.infer<typeof serviceOrderOutputSchema>;

export const serviceLogsInputSchema = z.strictObject({
  // As the module names it, including kinds that cannot be started.
  unit: z.string().min(1).max(262).describe('Name of a unit of the module services; of the user: user:sync.service'),
  lines: z.coerce.number().int().min(1).max(500).optional().describe('How many of the last lines; 50 unless given'),
});
export type ServiceLogsInput = z.infer<typeof serviceLogsInputSchema>;

export const serviceLogsOutputSchema = z.object({
  unit: z.string().describe('As it was given'),
  lines: z
    .array(
      z.object({
        at: z.number().describe('When it was written, Unix seconds'),
        priority: z
          .int()
          .min(0)
          .max(7)
          .nullable()
          .describe('0 emergency, 3 error, 4 warning, 6 information, 7 for developers; null: it has none'),
        text: z
          .string()
          .describe('As the program wrote it, up to 4096 bytes; a program that shows it has to make it harmless'),
      }),
    )
    .describe('The last lines, oldest first'),
  truncated: z.boolean().describe('Whether there are more than fit: 512 KiB, or what was found within 5 s'),
  reason: z.string().nullable().describe('Why lines are missing, and how to get them; null: they are not'),
});
export type ServiceLogsOutput = z.infer<typeof serviceLogsOutputSchema>;

/** Input and output of the agent tool. */
export const controlServiceInputSchema = z.strictObject({ action: z.enum(serviceVerbs), unit: z.string() });
export const controlServiceOutputSchema = z.object({ unit: z.string(), message: z.string() });
