import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const customSchema = z.object({
  sensors: z
    .array(
      z.object({
        id: z.string().describe('Its id in the settings'),
        name: z.string().describe('Its name in the settings'),
        unit: z.string().describe('Unit of the value; empty if it has none'),
        parse: z.enum(['number', 'json', 'text', 'lines']).describe('What its text is taken for'),
        value: z
          .unknown()
          .describe(
            'The last value that could be read: a number, text, a list of lines, or whatever the JSON holds; null: none yet',
          ),
        at: z.number().nullable().describe('When that value was read, Unix seconds').meta(unit('unix_seconds')),
        error: z.string().nullable().describe('Why the latest attempt failed; null: it did not'),
      }),
    )
    .describe('Sensors of custom.sensors in the settings, in their order'),
});

export type Custom = z.infer<typeof customSchema>;
