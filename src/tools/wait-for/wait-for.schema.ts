import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const waitForInputSchema = (modules: readonly string[]) =>
  z.strictObject({
    // Agents get the list once, with get_module; the error for a wrong name repeats it.
    module: z
      .string()
      .max(64)
      .refine((name) => modules.includes(name), `must be one of ${modules.join(', ')}`)
      .describe('As in get_module'),
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
  why_null: whyNullSchema,
});

export type WaitForOutput = z.infer<typeof waitForOutputSchema>;
