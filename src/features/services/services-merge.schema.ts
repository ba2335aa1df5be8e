import { z } from 'zod';

export const serviceVerbs = ['start', 'stop', 'restart', 'enable', 'disable'] as const;
export type ServiceVerb = (typeof serviceVerbs)[number];

/** A unit of systemd or a service of Windows; which of them it must be here is said by what knows the platform. */
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
  active_state: z.string().nullable().describe('What the unit does afterwards: active, inactive …; null: nobody asked'),
  sub_state: z.string().nullable().describe('The same in more detail'),
  enabled: z.string().nullable().describe('Whether it is started with the machine now; null: nobody asked'),
  done: z.boolean().describe('false: it takes longer, and goes on'),
});
export type ServiceOrderOutput = z.infer<typeof serviceOrderOutputSchema>;

export const serviceLogsInputSchema = z.strictObject({
  // As the module names it: also kinds that nobody can start.
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

/** What agents pass and get. */
export const controlServiceInputSchema = z.strictObject({ action: z.enum(serviceVerbs), unit: z.string() });
export const controlServiceOutputSchema = z.object({ unit: z.string(), message: z.string() });

/** What is used here of the module's payload. */
export const servicesPayloadSchema = z.object({
  units: z.array(z.object({ name: z.string(), scope: z.enum(['system', 'user']) })),
});
