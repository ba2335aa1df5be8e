import { z } from 'zod';
import { recipientId } from '../../alerts/alerts.settings.schema.ts';

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

const shownUrl = z.string().describe('Scheme and server of its URL; the rest is secret');

export const alertTargetsOutputSchema = z.object({
  changeable: z.boolean().describe('Whether the caller is on the machine itself, and may add and remove targets'),
  targets: z
    .array(
      z.object({
        id: recipientId,
        url: shownUrl.nullable().describe('Scheme and server of its URL; null: it has none yet'),
        rules: z.array(z.string()).describe('Ids of the rules that name it'),
      }),
    )
    .describe('The targets of the settings, in their order'),
});

export type AlertTargets = z.infer<typeof alertTargetsOutputSchema>;

export const alertAddInputSchema = z.object({
  id: recipientId,
  url: z.string().min(1).max(4096).describe('URL of the service, such as ntfys://ntfy.sh/TOPIC. It is not shown again'),
});

export const alertAddOutputSchema = z.object({ id: recipientId, url: shownUrl });

export const alertRemoveInputSchema = z.object({ id: recipientId });

export type AlertAddOutput = z.infer<typeof alertAddOutputSchema>;
export type AlertAddInput = z.infer<typeof alertAddInputSchema>;
export type AlertRemoveInput = z.infer<typeof alertRemoveInputSchema>;
