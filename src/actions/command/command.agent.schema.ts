import { z } from 'zod';

export const runCommandInputSchema = (ids: readonly string[]) => z.strictObject({ command_id: z.enum(ids) });

export const runCommandOutputSchema = z.object({
  exit_code: z.int().describe('-1: it was ended, or could not be started'),
  output: z.string().describe('The end of what it wrote'),
  errors: z.string().describe('The end of what it wrote as errors'),
  problem: z.string().optional().describe('Why there is no exit code'),
});
