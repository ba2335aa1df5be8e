import type { z } from 'zod';
import { ServiceError } from './errors.ts';
import { describeIssues } from './issues.ts';

/** What came from outside, checked once and trusted afterwards. The sentence of a refusal names the field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ServiceError('invalid', `${subject}: ${describeIssues(result.error, 'it')}`);
}
