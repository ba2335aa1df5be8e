import { z } from 'zod';
import { unitKey } from '../core/unit.schema.ts';
import { inUnit, isUnit } from '../lib/units.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A payload with its numbers in words, by the units in its schema: `23.5 GiB`, `2 h 5 min`. */
export function readable(payload: unknown, schema: z.ZodType): unknown {
  const document = z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' });
  return inWords(payload, document);
}

function inWords(value: unknown, schema: JsonSchema | boolean | undefined): unknown {
  if (schema === undefined || typeof schema === 'boolean') return value;
  const known = present(schema);
  if (Array.isArray(value)) {
    const items = Array.isArray(known.items) ? undefined : known.items;
    return value.map((entry) => inWords(entry, items));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, inWords(inner, known.properties?.[key])]),
    );
  }
  const name = schema[unitKey] ?? known[unitKey];
  return typeof value === 'number' && isUnit(name) ? inUnit(value, name) : value;
}

/** The schema of its non-null value. */
function present(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return only !== undefined && others.length === 0 ? only : schema;
}
