import { z } from 'zod';

export const commandInputSchema = z.object({
  commandID: z.string().max(256).describe('Id of an entry in commands.allowlist of the settings'),
  stream: z.boolean().nullish().describe('Send what it writes while it runs, as COMMAND_OUTPUT messages'),
});

export const commandOutputSchema = z.object({
  commandID: z.string(),
  exitCode: z.int().describe('Exit code of the program; -1 when it was ended, or could not be started'),
  stdout: z.string().describe('The first MiB of what it wrote'),
  stderr: z.string().describe('The first MiB of what it wrote as errors'),
  error: z.string().optional().describe('Why there is no exit code'),
});

export type CommandInput = z.infer<typeof commandInputSchema>;
export type CommandOutput = z.infer<typeof commandOutputSchema>;
