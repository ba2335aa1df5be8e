import { z } from 'zod';

/** In every answer that may hold nulls. */
export const whyNullSchema = z
  .array(z.object({ fields: z.array(z.string()), reason: z.string() }))
  .optional()
  .describe('Why fields are null or lists empty; *: all of them');
