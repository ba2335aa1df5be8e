import { z } from 'zod';

export const getModuleInputSchema = (modules: readonly string[]) =>
  z.strictObject({
    module: z.enum(modules),
    fields: z.array(z.string().max(200)).max(50).optional().describe('Dot paths such as virtual.percent; default all'),
    max_items: z.int().min(1).max(1000).optional().describe('Of each list'),
  });

export type GetModuleInput = z.infer<ReturnType<typeof getModuleInputSchema>>;

export const getModuleOutputSchema = z.object({
  module: z.string(),
  taken_at: z.string().describe('ISO time'),
  data: z.unknown().describe('As the module returns it'),
  truncated: z.array(z.object({ field: z.string(), shown: z.int(), total: z.int() })).describe('Lists that were cut'),
  why_null: z
    .array(z.object({ field: z.string().nullable(), reason: z.string() }))
    .optional()
    .describe('Why fields are null'),
  hint: z.string().optional().describe('What to call to see what was cut'),
});

export type GetModuleOutput = z.infer<typeof getModuleOutputSchema>;
