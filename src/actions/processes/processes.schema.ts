import { z } from 'zod';

export const processInputSchema = z.object({
  id: z.coerce.number().int().positive().describe('Process ID'),
});

export type ProcessInput = z.infer<typeof processInputSchema>;

export const processDetailsSchema = z.object({
  id: z.int().describe('Process ID'),
  command_line: z
    .array(z.string())
    .nullable()
    .describe('The program and its arguments, at most 64 KiB; null: it has none, or it cannot be seen'),
});

export type ProcessDetails = z.infer<typeof processDetailsSchema>;
