import { z } from 'zod';

/** The last moment that a date can be. */
const lastMoment = 8.64e15;
const longestStep = 99_999_999;

const moment = z
  .union([z.number().nonnegative().max(lastMoment), z.string().min(1).max(64)])
  .describe('Unix milliseconds, an ISO time, or HH:MM for the last time the clock of this machine said so');

export const historyInputSchema = z.object({
  series: z
    .union([z.array(z.string().min(1).max(200)).max(64), z.string().max(4096)])
    .optional()
    .describe(
      'Names such as cpu, memory or network, as a list or separated by commas; cpu/* are all cores. Left out: everything about the machine as a whole',
    ),
  from: moment.optional(),
  to: moment.optional().describe('The same; left out: now'),
  last: z
    .union([
      z
        .number()
        .positive()
        .max(lastMoment / 1000),
      z.string().min(1).max(16),
    ])
    .optional()
    .describe('How long before "to" it begins, where "from" is left out: seconds, or 15m, 1h, 7d. Left out: an hour'),
  step: z
    .union([z.number().positive().max(longestStep), z.string().regex(/^\d+$/, 'a number of seconds').max(8)])
    .optional()
    .describe('Seconds between values; 300 at least for what is older than a day. Left out: about 300 values'),
});

export type HistoryInput = z.infer<typeof historyInputSchema>;

const values = (meaning: string) =>
  z.array(z.number().nullable()).describe(`${meaning} of each step; null: nothing was recorded then`);

export const historySchema = z.object({
  from: z.number().describe('When the first step begins, Unix milliseconds'),
  to: z.number().describe('When the last step ends, Unix milliseconds'),
  step: z.number().describe('Length of a step, seconds'),
  recording: z.boolean().describe('Whether the machine is being recorded now'),
  series: z
    .array(
      z.object({
        name: z.string().describe('Its name'),
        unit: z
          .string()
          .describe(
            'What its values are: percent, bytes, bytes_per_second, celsius, watts or processes; of a sensor of your own what the settings say, which may be nothing',
          ),
        description: z.string().describe('What it measures'),
        mean: values('Mean'),
        least: values('Least'),
        most: values('Most'),
        peak: z
          .object({
            at: z
              .number()
              .describe(
                'When it was recorded, Unix milliseconds: to the sample for a day, to five minutes before that',
              ),
            value: z.number().describe('The highest of "most"'),
          })
          .nullable()
          .describe('The highest value of the whole time; null: nothing was recorded'),
      }),
    )
    .describe('What was asked for'),
  processes: z
    .array(
      z.object({
        pid: z.int().describe('Process ID'),
        name: z.string().describe('Process name'),
        cpu: z.number().describe('Mean of the whole time, percent; 100 is one core'),
        most_cpu: z.number().describe('Most at any time, percent; 100 is one core'),
        memory: z.number().describe('Most resident memory, bytes'),
      }),
    )
    .describe('The processes that used most CPU or memory in this time'),
  programs: z
    .array(
      z.object({
        name: z.string().describe('Name of the processes'),
        count: z.int().describe('Processes of this name that were among the busiest'),
        cpu: z.number().describe('Mean of the whole time, percent; 100 is one core'),
        most_cpu: z.number().describe('Most at any time, percent; 100 is one core'),
        memory: z.number().describe('Most resident memory at any time, bytes'),
      }),
    )
    .describe('The programs that used most CPU or memory in this time: processes of one name together'),
  events: z
    .array(
      z.object({
        at: z.number().describe('Unix milliseconds'),
        kind: z
          .string()
          .describe('start, stop, sleep, wake, clock, session, link, mount, order, agent, alert and others'),
        text: z.string().describe('What happened'),
      }),
    )
    .describe('What happened in this time, oldest first; 500 at most'),
  names: z.array(z.string()).describe('Every series there is, of each with at most 100 devices'),
});
