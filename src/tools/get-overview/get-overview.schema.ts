import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const getOverviewInputSchema = z.strictObject({});

const percent = z.number().nullable().describe('0-100');

export const getOverviewOutputSchema = z.object({
  taken_at: z.string().describe('ISO time'),
  hostname: z.string().nullable(),
  platform: z.string().nullable(),
  uptime_s: z.number().nullable(),
  cpu: z
    .object({
      usage_percent: percent,
      cores: z.number().nullable(),
      load_1m: z.number().nullable(),
      temperature_c: z.number().nullable(),
    })
    .nullable(),
  memory: z
    .object({
      used_percent: percent,
      available_gb: z.number().nullable(),
      total_gb: z.number().nullable(),
      swap_used_percent: percent,
    })
    .nullable(),
  battery: z
    .object({ percent, charging: z.boolean().nullable(), minutes_left: z.number().nullable() })
    .optional()
    .describe('Only where there is one'),
  playing: z
    .object({ title: z.string(), artist: z.string().nullable(), status: z.string().nullable() })
    .optional()
    .describe('Only where a player has something'),
  disks: z.array(z.object({ mount: z.string(), used_percent: z.number(), free_gb: z.number(), total_gb: z.number() })),
  top_processes: z.array(z.object({ pid: z.int(), name: z.string(), cpu: z.number(), memory: z.number().nullable() })),
  pending_reboot: z.boolean().nullable().describe('A restart would complete an update'),
  failed_units: z.array(z.string()).nullable().describe('Of systemd'),
  warnings: z.array(z.string()).describe('What is wrong'),
  unavailable: z.array(z.object({ module: z.string(), reason: z.string() })).describe('Modules without data'),
  why_null: whyNullSchema,
});

export type GetOverviewOutput = z.infer<typeof getOverviewOutputSchema>;
