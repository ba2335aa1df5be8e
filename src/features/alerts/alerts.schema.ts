import { z } from 'zod';

/** Core and the module share one schema. */
export type { AlertsState as AlertsPayload } from '../../core/alerts.schema.ts';
export { alertsSchema } from '../../core/alerts.schema.ts';

export const alertsInputSchema = z.object({});

export const alertTestInputSchema = z.object({
  id: z.string().min(1).max(32).describe('Id of the rule, or of a target'),
});

export type AlertTestInput = z.infer<typeof alertTestInputSchema>;

export const alertTestOutputSchema = z.object({
  id: z.string().describe('Id of the rule'),
  results: z
    .array(
      z.object({
        way: z.string().describe('screen, mqtt, or the id of a webhook or target'),
        ok: z.boolean().describe('Whether it worked'),
        error: z.string().nullable().describe('What went wrong; null: nothing'),
        answer: z.string().describe('What a target answered, without secrets; empty: nothing, or not a target'),
      }),
    )
    .describe('What became of it, one for each way the rule names'),
});
