import { z } from 'zod';

const percent = (meaning: string) => z.number().nonnegative().describe(meaning);

export const processSchema = z.object({
  id: z.int().positive().describe('Process ID'),
  name: z.string().describe('Process name'),
  cpu_usage: percent('CPU time used since the last reading, percent; 100 is one core'),
  memory_usage: percent('Share of the physical memory that is resident, 0-100').max(100).nullable(),
  created: z.number().nonnegative().nullable().describe('When the process was started, Unix seconds'),
  path: z.string().nullable().describe('Program file'),
  status: z
    .string()
    .describe(
      'What the process is doing: running, sleeping, disk-sleep, stopped, tracing-stop, zombie, dead, wake-kill, waking, idle, parked or unknown',
    ),
  username: z.string().nullable().describe('Owning user: the name, or the number where it has none'),
  working_directory: z.string().nullable().describe('Working directory'),
});

export const processesSchema = z.array(processSchema);

export type Process = z.infer<typeof processSchema>;
