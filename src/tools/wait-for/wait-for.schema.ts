import { z } from 'zod';

export const waitForInputSchema = (modules: readonly string[]) =>
  z.strictObject({
    module: z.enum(modules),
    field: z.string().min(1).max(200).describe('Dot path; in lists any entry counts'),
    op: z.enum(['lt', 'le', 'gt', 'ge', 'eq', 'ne', 'contains']),
    value: z.union([z.number(), z.string().max(1000), z.boolean()]),
    timeout_seconds: z.number().min(1).max(50).default(30),
  });

export type WaitForInput = z.infer<ReturnType<typeof waitForInputSchema>>;

export const waitForOutputSchema = z.object({
  met: z.boolean(),
  value: z.unknown().describe('The value that met the condition, or the last one seen'),
  waited_s: z.number(),
});

export type WaitForOutput = z.infer<typeof waitForOutputSchema>;
