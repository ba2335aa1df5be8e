import { capitalised } from '../../../src/lib/capitalised.ts';
import { spanText } from '../../../src/lib/durations.ts';

/** The parts of JSON Schema that our settings use. */
export interface FormSchema {
  type?: string;
  /** Label; default: derived from the name of the setting. */
  title?: string;
  description?: string;
  properties?: Record<string, FormSchema>;
  /** Required properties. */
  required?: string[];
  default?: unknown;
  additionalProperties?: FormSchema | boolean;
  items?: FormSchema;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  'x-unit'?: string;
}

const acronyms = ['id', 'url', 'mcp', 'mqtt', 'otlp'];

/** `allowedHosts` → Allowed hosts. */
export function titleOf(path: string, { title }: FormSchema = {}): string {
  if (title !== undefined) return title;
  const key = path.split('.').at(-1) ?? path;
  if (acronyms.includes(key)) return key.toUpperCase();
  return capitalised(key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** Milliseconds in one unit of a field that holds a duration; undefined: it holds none. */
export const msPerUnit = ({ 'x-unit': unit = '' }: FormSchema): number | undefined =>
  ({ seconds: 1000, milliseconds: 1 })[unit];

/**
 * The description without what only the file needs: the form shows the fields of an entry, and durations with their unit. Descriptions
 * have no full stop, because they are used in tables as well.
 */
export function descriptionOf(schema: FormSchema): string {
  const { description = '' } = schema;
  const plain = description
    .replace(/; each is \{[^}]*\}(?:, with when as \{[^}]*\} or \{[^}]*\})?/, '')
    // The lock says so already.
    .replace(/[;.] [Cc]an be set only in the file or with the CLI$/, '');
  const shown =
    msPerUnit(schema) === undefined
      ? plain
      : plain.replace(/^(?:Milli)?[Ss]econds\b/, 'Time').replace(/\b(?:number of )?(?:milli)?seconds\b/, 'time');
  return shown === '' ? '' : `${shown}.`;
}

/** `From 5 s to 5 min`, for the error of a duration. */
export function rangeOf(schema: FormSchema): string {
  const ms = msPerUnit(schema) ?? 1;
  const { minimum = 0, maximum = 0 } = schema;
  return `Enter a time from ${spanText(minimum * ms)} to ${spanText(maximum * ms)}, such as 30 s or 5 min`;
}

/** One line about an entry of a list, from its fields: `/usr/bin/rsync -a Documents/`, `cpu above 90 for 5 min`. */
export function summaryOf(value: unknown, { properties = {} }: FormSchema = {}): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .flatMap(([key, part]): string[] => {
      const field = properties[key] ?? {};
      if (key === 'id' || key === 'name' || part === field.default) return [];
      if (typeof part === 'string') return [part];
      if (typeof part === 'number') return [`${key} ${amountOf(part, field)}`];
      if (Array.isArray(part)) return [part.join(' ')];
      return typeof part === 'object' ? [summaryOf(part, field)] : [];
    })
    .filter((text) => text !== '')
    .join(' ');
}

function amountOf(value: number, field: FormSchema): string {
  const ms = msPerUnit(field);
  return ms === undefined ? String(value) : spanText(value * ms);
}
