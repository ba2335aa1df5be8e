import { z } from 'zod';

export const runCommandInputSchema = (ids: readonly string[]) => z.strictObject({ command_id: z.enum(ids) });

export const runCommandOutputSchema = z.object({
  exit_code: z.int().describe('-1: it was terminated or could not be started'),
  output: z.string().describe('The end of its standard output'),
  errors: z.string().describe('The end of its standard error'),
  problem: z.string().optional().describe('Why there is no exit code'),
});
