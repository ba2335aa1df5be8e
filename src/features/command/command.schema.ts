import { z } from 'zod';

export const commandInputSchema = z.object({
  commandID: z.string().max(256).describe('id of an entry of commands.allowlist in the settings'),
  stream: z.boolean().nullish().describe('Send its output while it runs, as COMMAND_OUTPUT messages'),
});

export const commandOutputSchema = z.object({
  commandID: z.string(),
  exitCode: z.int().describe('Exit code of the program; -1 if it was terminated or could not be started'),
  stdout: z.string().describe('The first MiB of its standard output'),
  stderr: z.string().describe('The first MiB of its standard error'),
  error: z.string().optional().describe('Why there is no exit code'),
});

export type CommandInput = z.infer<typeof commandInputSchema>;
export type CommandOutput = z.infer<typeof commandOutputSchema>;

export const runCommandInputSchema = (ids: readonly string[]) => z.strictObject({ command_id: z.enum(ids) });

export const runCommandOutputSchema = z.object({
  exit_code: z.int().describe('-1: it was terminated or could not be started'),
  output: z.string().describe('The end of its standard output'),
  errors: z.string().describe('The end of its standard error'),
  problem: z.string().optional().describe('Why there is no exit code'),
});
