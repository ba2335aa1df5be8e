import { isObject } from '../../../lib/values.ts';
import type { Json } from './fields.ts';

/** An example of this schema: its own example, else the simplest valid value. */
export function exampleOf(given: unknown, schemas: Record<string, Json>): unknown {
  if (!isObject(given)) return null;
  const schema = typeof given.$ref === 'string' ? (schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given;
  const [shown] = Array.isArray(schema.examples) ? schema.examples : [];
  const [choice] = Array.isArray(schema.enum) ? schema.enum : [];
  const said = shown ?? schema.default ?? schema.const ?? choice;
  if (said !== undefined) return said;
  const forms = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf;
  if (Array.isArray(forms)) {
    const form = forms.find((each) => isObject(each) && each.type !== 'null') ?? forms[0];
    return exampleOf(form, schemas);
  }
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  const make = makers[String(type)];
  return make === undefined ? {} : make(schema, schemas);
}

const formats: Partial<Record<string, string>> = {
  'date-time': '2026-01-01T12:00:00.000Z',
  uri: 'https://example.org/',
};

type Make = (schema: Json, schemas: Record<string, Json>) => unknown;

const makers: Partial<Record<string, Make>> = {
  object: ({ properties }, schemas) =>
    Object.fromEntries(
      Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => [name, exampleOf(field, schemas)]),
    ),
  array: ({ items, maxItems }, schemas) => (items === undefined || maxItems === 0 ? [] : [exampleOf(items, schemas)]),
  string: ({ format, minLength }) => formats[String(format)] ?? 'text'.padEnd(Number(minLength ?? 0), 't'),
  number: numberIn,
  integer: numberIn,
  boolean: () => true,
  null: () => null,
};

function numberIn({ minimum, exclusiveMinimum, maximum }: Json): number {
  const least = typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1;
  return Math.min(Math.max(least, 1), typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY);
}
