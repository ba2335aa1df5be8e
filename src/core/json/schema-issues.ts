import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The first mistake in an input, as a sentence that names the field. */
export function describeIssues(error: z.ZodError, subject: string): string {
  const [issue] = error.issues;
  if (issue === undefined) return `${subject} is not valid`;
  const field = issue.path.join('.');
  return `${field === '' ? subject : field} ${issueText(issue)}`;
}

/** What is wrong with one value: "must be a number". */
export function issueText(issue: Issue): string {
  if (issue.message.endsWith('received undefined'))
    return issue.path.length === 0 ? 'needs a JSON object as its body' : 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${units[issue.origin] ?? ''}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${units[issue.origin] ?? ''}`;
    case 'unrecognized_keys':
      return `has an unknown field ${issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')}`;
    case 'invalid_union':
      return 'has an unknown form';
    default:
      return `is not valid: ${issue.message}`;
  }
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const units: Record<string, string> = { string: ' characters long', array: ' entries long' };
