import type { z } from 'zod';
import { ServiceError } from './errors.ts';

/** What came from outside, checked once and trusted afterwards. The sentence of a refusal names the field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new ServiceError(
    'invalid',
    `${field === '' ? subject : `${subject}: ${field}`}: ${issue?.message ?? 'not valid'}`,
  );
}
