import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';
import { nameSchema as name, textSchema as text } from '../../settings/fields.schema.ts';

export const customSettingsSchema = z
  .object({
    sensors: z
      .array(
        z
          .object({
            id: z
              .string()
              .regex(/^[a-z][a-z0-9_]{0,47}$/, 'lower-case letters, digits and _, beginning with a letter')
              .describe('Identifies the sensor in MQTT, Home Assistant and metrics, so do not change it later'),
            name,
            unit: z.string().max(32).default('').describe('Unit of a number, such as °C; may be empty'),
            command: z
              .string()
              .max(256)
              .default('')
              .describe('id of the entry in commands.allowlist whose output is the value; empty if a file is read'),
            file: text
              .default('')
              .describe('Absolute path of a file whose content is the value; empty if a command is run'),
            interval: z
              .int()
              .min(5)
              .max(86_400)
              .default(60)
              .describe('Least number of seconds between two readings')
              .meta(unit('seconds')),
            parse: z
              .enum(['number', 'json', 'text', 'lines'])
              .default('number')
              .describe('How to read the text: as the number it begins with, JSON, text, or lines of text'),
            path: z
              .string()
              .max(256)
              .default('')
              .describe('For JSON, the part to show, as names and numbers separated by dots; empty means all'),
            record: z
              .boolean()
              .default(true)
              .describe(
                'Whether a number is kept in the history, where charts and alerts find it as custom.<id>; it is then read all the time',
              ),
          })
          .refine(({ command, file }) => (command === '') !== (file === ''), 'name either a command or a file'),
      )
      .max(50)
      .refine((sensors) => new Set(sensors.map(({ id }) => id)).size === sensors.length, 'each id may be used once')
      .describe(
        'Values of your own; each is {id, name, unit, command or file, interval, parse, path, record}. Every token with the scope read can read them',
      )
      .meta({ title: 'Own sensors' }),
  })
  .meta({ title: 'Own sensors' });

declare module '../../settings/settings.schema.ts' {
  interface FeatureSettings {
    custom: z.infer<typeof customSettingsSchema>;
  }
}
