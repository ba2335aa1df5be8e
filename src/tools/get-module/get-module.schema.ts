import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const getModuleInputSchema = (modules: readonly string[]) =>
  z.strictObject({
    module: z.enum(modules),
    fields: z.array(z.string().max(200)).max(50).optional().describe('Dot paths such as virtual.percent; default all'),
    max_items: z.int().min(1).max(1000).optional().describe('Of each list'),
    offset: z.int().min(0).optional().describe('next_offset of the page before'),
  });

export type GetModuleInput = z.infer<ReturnType<typeof getModuleInputSchema>>;

export const getModuleOutputSchema = z.object({
  module: z.string(),
  taken_at: z.string().describe('ISO time'),
  data: z.unknown().describe('As the module returns it; processes and networks by use'),
  truncated: z
    .array(
      z.object({
        field: z.string(),
        from: z.int().optional().describe('Entries that were skipped'),
        shown: z.int(),
        total: z.int(),
      }),
    )
    .describe('Lists that were cut'),
  next_offset: z.int().optional().describe('Pass it as offset, with the same arguments, for more'),
  why_null: whyNullSchema,
  hint: z.string().optional().describe('What to call to see what was cut'),
});

export type GetModuleOutput = z.infer<typeof getModuleOutputSchema>;
