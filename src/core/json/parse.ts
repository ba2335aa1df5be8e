import type { z } from 'zod';
import { ServiceError } from '../../lib/errors.ts';
import { describeIssues } from './schema-issues.ts';

/** Outside input, checked once and trusted afterwards. The error message names the field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ServiceError('invalid', `${subject}: ${describeIssues(result.error, 'it')}`, {
    subtype: missingField(result.error),
  });
}

/** MISSING_TITLE, if that is the first mistake: older clients know some of these names. */
function missingField({ issues: [issue] }: z.ZodError): string | null {
  const [field, ...deeper] = issue?.path ?? [];
  const isMissing = issue?.message.endsWith('received undefined') === true && deeper.length === 0;
  return isMissing && field !== undefined ? `MISSING_${String(field).toUpperCase()}` : null;
}
