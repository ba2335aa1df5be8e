import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const percent = (meaning: string) => z.number().nonnegative().describe(meaning).meta(unit('percent'));

export const processSchema = z.object({
  id: z.int().positive().describe('Process ID'),
  parent_id: z.int().nonnegative().describe('ID of the process that started it, or took it over; 0: none'),
  name: z.string().describe('Process name'),
  cpu_usage: percent('CPU time used since the last reading, percent; 100 is one core'),
  memory_usage: percent('Resident share of the physical memory, 0-100').max(100).nullable(),
  created: z
    .number()
    .nonnegative()
    .nullable()
    .describe('When the process was started, Unix seconds')
    .meta(unit('unix_seconds')),
  start_time: z
    .int()
    .nonnegative()
    .describe(
      'When it was started, as the kernel counts: clock ticks since boot on Linux, microseconds since 1970 on Windows. Together with the ID it identifies the process exactly',
    ),
  path: z.string().nullable().describe('Program file'),
  status: z
    .string()
    .describe(
      'State of the process: running, sleeping, disk-sleep, stopped, tracing-stop, zombie, dead, wake-kill, waking, idle, parked or unknown',
    ),
  username: z.string().nullable().describe('Owner: the user name, or the user ID if it has no name'),
  working_directory: z.string().nullable().describe('Working directory'),
});

export const processesSchema = z.array(processSchema);

export type Process = z.infer<typeof processSchema>;
