import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const listProcessesInputSchema = z.strictObject({
  sort_by: z.enum(['cpu', 'memory', 'name', 'started']).default('cpu'),
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(64).optional(),
  name_contains: z.string().max(200).optional(),
  username: z.string().max(200).optional(),
  min_cpu: z.number().min(0).optional().describe('Percent; 100 is one core'),
  detail: z.enum(['concise', 'full']).default('concise'),
});

export type ListProcessesInput = z.infer<typeof listProcessesInputSchema>;

export const listProcessesOutputSchema = z.object({
  total: z.int().describe('All processes'),
  matched: z.int().describe('Processes that match the filters'),
  processes: z.array(
    z.object({
      pid: z.int(),
      name: z.string(),
      cpu: z.number().describe('Percent; 100 is one core'),
      memory: z.number().nullable().describe('Percent of the physical memory'),
      username: z.string().nullable().optional(),
      status: z.string().optional(),
      path: z.string().nullable().optional(),
      working_directory: z.string().nullable().optional(),
      start_time: z.int().optional().describe('For control_process'),
      started: z.string().nullable().optional().describe('ISO time'),
    }),
  ),
  next_cursor: z.string().optional().describe('Pass it as cursor, with the same arguments, for more'),
  why_null: whyNullSchema,
});

export type ListProcessesOutput = z.infer<typeof listProcessesOutputSchema>;
