import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const serviceScopes = ['system', 'user'] as const;

export const serviceUnitSchema = z.object({
  name: z.string().describe('Name of the unit, such as nginx.service; on Windows that of the service, such as Spooler'),
  scope: z
    .enum(serviceScopes)
    .describe('Whose unit it is: of the machine (system), or of the user whose service this is (user)'),
  description: z.string().describe('What the unit says it is'),
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
  since: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Since when it is in this state, Unix seconds')
    .meta(unit('unix_seconds')),
  main_pid: z.int().positive().nullable().describe('ID of its main process'),
  memory: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Memory of all its processes together, with what they have in the cache, bytes')
    .meta(unit('bytes')),
  cpu_time: z
    .number()
    .nonnegative()
    .nullable()
    .describe('CPU time of all its processes since it was started, seconds')
    .meta(unit('seconds')),
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
