import { z } from 'zod';

/** What engines accept as names; nothing else gets near a path of their API. */
const containerName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'the exact name of a container: letters, digits, _, . and -')
  .describe('Exact name of the container');

const engine = z
  .string()
  .max(64)
  .optional()
  .describe(
    'id of its engine, as the module containers has it; needed where two engines have a container of this name',
  );

/** Unknown fields are refused here: what was meant by them would not happen. */
export const containerInputSchema = z.strictObject({ name: containerName, engine });
export type ContainerInput = z.infer<typeof containerInputSchema>;

export const containerOutputSchema = z.object({
  name: z.string(),
  id: z.string().describe('ID of the container that it was done to'),
  engine: z.string().describe('id of its engine'),
  state: z.string().describe('What the container does now, as the engine says'),
  changed: z.boolean().describe('false: it was so already'),
});
export type ContainerOutput = z.infer<typeof containerOutputSchema>;

/** In a query everything is text. */
const numeral = (schema: z.ZodInt) =>
  z.preprocess((given) => (typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : given), schema);

export const mostLogLines = 500;

export const containerLogsInputSchema = z.strictObject({
  name: containerName,
  engine,
  lines: numeral(z.int().min(1).max(mostLogLines))
    .optional()
    .describe(`How many of the last lines, at most ${mostLogLines}; 100 unless given`),
});
export type ContainerLogsInput = z.infer<typeof containerLogsInputSchema>;

export const containerLogsSchema = z.object({
  name: z.string(),
  id: z.string(),
  engine: z.string(),
  lines: z
    .array(
      z.object({
        time: z.string().describe('When it was written, ISO 8601; empty: the engine does not say'),
        stream: z.enum(['stdout', 'stderr']).describe('A container with a terminal has stdout only'),
        text: z.string().describe('At most 4096 characters'),
      }),
    )
    .describe('The oldest first'),
  truncated: z
    .boolean()
    .describe('Whether something was left out: the output is larger than what is read of it, or a line is too long'),
});
export type ContainerLogs = z.infer<typeof containerLogsSchema>;

/** What agents pass and get. */
export const controlContainerInputSchema = (verbs: readonly string[], names: readonly string[]) =>
  z.strictObject({ action: z.enum(verbs), name: z.enum(names) });
export const controlContainerOutputSchema = z.object({ name: z.string(), state: z.string(), message: z.string() });
