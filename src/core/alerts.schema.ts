import { z } from 'zod';
import { unit } from './unit.schema.ts';

const moment = (meaning: string) =>
  z.number().nonnegative().describe(`${meaning}, Unix seconds`).meta(unit('unix_seconds'));

const waySchema = z.object({
  way: z.string().describe('screen, mqtt, or the id of a webhook or target'),
  state: z
    .enum(['idle', 'waiting', 'told', 'failed'])
    .describe('idle: there was nothing to send yet; waiting: it will be sent, or tried again; failed: given up'),
  told: moment('When a message was last sent').nullable(),
  tries: z.int().nonnegative().describe('Failed tries of the current message'),
  error: z.string().nullable().describe('What went wrong last'),
});

export const alertSchema = z.object({
  id: z.string().describe('Id of the rule'),
  name: z.string().describe('Name of the rule'),
  state: z
    .enum(['ok', 'pending', 'active', 'unknown', 'off'])
    .describe(
      'pending: the condition is met, but not for long enough yet; unknown: it cannot be found out; off: the rule is not enabled',
    ),
  since: moment('Since when it has been in this state'),
  condition: z.string().describe('Condition of the alert, such as Processor above 90 % for 5 min'),
  series: z.string().nullable().describe('The series it watches'),
  event: z.string().nullable().describe('The event it watches'),
  value: z.number().nullable().describe('What was measured last, in the unit below'),
  threshold: z.number().nullable().describe('Value at which the alert begins'),
  unit: z
    .string()
    .nullable()
    .describe(
      'Unit of both: percent, celsius, watts, bytes, bytes_per_second or processes; of a sensor of your own what the settings say',
    ),
  text: z.string().describe('What is wrong; empty unless pending or active'),
  reason: z.string().nullable().describe('Why it is unknown or off'),
  quiet: z.boolean().describe('Whether it is quiet time, during which no notifications are sent'),
  last_notified: moment('When a notification of it was last sent').nullable(),
  notify: z.array(waySchema).describe('Who is notified, and whether that worked'),
});

export const alertsSchema = z.object({
  active: z.int().nonnegative().describe('How many alerts are active'),
  alerts: z.array(alertSchema).describe('One for each rule of the settings, in their order'),
});

export type AlertsState = z.infer<typeof alertsSchema>;
export type AlertState = z.infer<typeof alertSchema>;
export type AlertWayState = z.infer<typeof waySchema>;
