import { z } from 'zod';
import { isObject } from '../../src/lib/values.ts';

/** A payload of this schema in which every text, and every key of a map, is the given one. */
export function hostilePayload(schema: z.ZodType, text: string): unknown {
  return exampleOf(z.toJSONSchema(schema, { unrepresentable: 'any' }), text);
}

function exampleOf(schema: unknown, text: string): unknown {
  if (!isObject(schema)) return text;
  const { anyOf, enum: choices, const: only, type, properties, additionalProperties, items, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf.find((one) => !isObject(one) || one.type !== 'null') ?? {}, text);
  switch (type) {
    case 'object': {
      const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => [
        name,
        exampleOf(one, text),
      ]);
      const more = isObject(additionalProperties) ? [[text.slice(0, 1000), exampleOf(additionalProperties, text)]] : [];
      return Object.fromEntries([...fields, ...more]);
    }
    case 'array':
      return [exampleOf(items, text)];
    case 'number':
    case 'integer':
      return typeof minimum === 'number' && minimum > 1 ? minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return text;
  }
}
