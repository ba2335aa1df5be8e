import { z } from 'zod';
import type { Json } from '../http/openapi/fields.ts';

/** An envelope with some of its properties refined; undefined properties do not occur. */
export function envelopeOf(schema: z.ZodType, io: 'input' | 'output', closer: Record<string, Json | undefined>): Json {
  const { properties, ...rest } = schemaOf(schema, io);
  const known = Object.entries(properties ?? {});
  const all = known
    .filter(([name]) => !(name in closer) || closer[name] !== undefined)
    .map(([name, property]) => [name, closer[name] ?? property]);
  const required = known.map(([name]) => name).filter((name) => closer[name] !== undefined || isRequired(rest, name));
  return { ...rest, properties: Object.fromEntries(all), required };
}

const isRequired = ({ required }: Json, name: string) => Array.isArray(required) && required.includes(name);

/** The dialect of AsyncAPI is that of JSON Schema's draft 7. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-07', io, unrepresentable: 'any' });
  return rest;
}
