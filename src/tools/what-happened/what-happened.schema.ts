import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const whatHappenedInputSchema = z.strictObject({
  at: z.string().max(64).optional().describe('ISO time or HH:MM; default: now'),
  minutes: z.number().min(1).max(525_600).default(10),
  series: z.array(z.string().max(200)).max(64).optional().describe('As cpu/*; default: the main ones'),
});

export type WhatHappenedInput = z.infer<typeof whatHappenedInputSchema>;

export const whatHappenedOutputSchema = z.object({
  from: z.string().describe('ISO time'),
  to: z.string(),
  step_s: z.number(),
  recording: z.boolean(),
  series: z.array(
    z.object({
      name: z.string(),
      unit: z.string(),
      mean: z.number().nullable(),
      least: z.number().nullable(),
      most: z.number().nullable(),
      most_at: z.string().nullable(),
      usual: z.number().nullable().describe('Mean of the day before'),
      values: z.array(z.number().nullable()).describe('Mean of each step'),
    }),
  ),
  processes: z.array(
    z.object({ pid: z.int(), name: z.string(), cpu: z.number(), most_cpu: z.number(), memory_mb: z.number() }),
  ),
  events: z.array(z.object({ at: z.string(), kind: z.string(), text: z.string() })),
  earlier_events: z.int().optional().describe('Events left out: ask for fewer minutes'),
  missing: z.string().optional(),
  why_null: whyNullSchema,
});

export type WhatHappenedOutput = z.infer<typeof whatHappenedOutputSchema>;
