import { z } from 'zod';
import { unit } from './unit.schema.ts';

const moment = (meaning: string) =>
  z.number().nonnegative().describe(`${meaning}, Unix seconds`).meta(unit('unix_seconds'));

const waySchema = z.object({
  way: z.string().describe('screen, mqtt, or the id of a webhook'),
  state: z
    .enum(['idle', 'waiting', 'told', 'failed'])
    .describe('idle: nothing was to be told yet; waiting: it will be told, or tried again; failed: given up'),
  told: moment('When it was told last').nullable(),
  tries: z.int().nonnegative().describe('Failed tries of what is to be told now'),
  error: z.string().nullable().describe('What went wrong last'),
});

export const alertSchema = z.object({
  id: z.string().describe('Id of the rule'),
  name: z.string().describe('Name of the rule'),
  state: z
    .enum(['ok', 'pending', 'active', 'unknown', 'off'])
    .describe(
      'pending: it is so, but not for long enough; unknown: it cannot be found out; off: the rule is not enabled',
    ),
  since: moment('Since when it is in this state'),
  condition: z.string().describe('What must be the case, such as cpu above 90 % for 5 min'),
  series: z.string().nullable().describe('The series it watches'),
  event: z.string().nullable().describe('The event it watches'),
  value: z.number().nullable().describe('What was measured last, in the unit below'),
  threshold: z.number().nullable().describe('From where on it is an alert'),
  unit: z.string().nullable().describe('Unit of both: percent, celsius, watts, bytes, bytes_per_second or processes'),
  text: z.string().describe('What is the case; empty unless pending or active'),
  reason: z.string().nullable().describe('Why it is unknown or off'),
  quiet: z.boolean().describe('Whether it is quiet time, in which nobody is told'),
  last_notified: moment('When anybody was told about it last').nullable(),
  notify: z.array(waySchema).describe('Who is told, and how that went'),
});

export const alertsSchema = z.object({
  active: z.int().nonnegative().describe('How many alerts are active'),
  alerts: z.array(alertSchema).describe('One for each rule of the settings, in their order'),
});

/** How alerts stand. */
export type AlertsState = z.infer<typeof alertsSchema>;
export type AlertState = z.infer<typeof alertSchema>;
export type AlertWayState = z.infer<typeof waySchema>;
