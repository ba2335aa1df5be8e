import { z } from 'zod';
import type { Given } from '../../core/agent.ts';
import { describeIssues } from '../../core/json/schema-issues.ts';
import { ServiceError } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import type { ToolSchemas } from './plain-tools.types.ts';

/** The schemas of a tool as agents get them. Only what plain-tools.ts does not know comes here: this file loads the schema library. */
export async function schemasOf(
  input: () => Promise<z.ZodType>,
  output: () => Promise<z.ZodType>,
): Promise<ToolSchemas> {
  return {
    inputSchema: { ...jsonSchemaOf(await input(), withoutNull), type: 'object' },
    outputSchema: { ...jsonSchemaOf(await output(), () => {}), type: 'object' },
  };
}

export function checked(tool: string, input: z.ZodType, words: unknown): Given {
  const result = input.safeParse(words ?? {});
  if (result.success) return isObject(result.data) ? { ...result.data } : {};
  const { properties } = jsonSchemaOf(input, withoutNull);
  const known = Object.keys(isObject(properties) ? properties : {}).join(', ');
  throw new ServiceError(
    'invalid',
    `${tool}: ${describeIssues(result.error, 'it')}. It accepts ${known || 'no arguments'}`,
  );
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A nullable field is optional as well, which is shorter. */
function withoutNull(schema: JsonSchema): void {
  const [only, ...others] = schema.anyOf?.filter((option) => option.type !== 'null') ?? [];
  if (only === undefined || others.length > 0) return;
  delete schema.anyOf;
  Object.assign(schema, { ...only, ...schema });
}

/** Without defaults that every reader assumes: agents pay per token. */
function jsonSchemaOf(schema: z.ZodType, shorten: (schema: JsonSchema) => void): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // An empty one is refused with an explanation.
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
      // Above any real value; a longer one is refused with an explanation.
      if ((jsonSchema.maxLength ?? 0) >= 32) delete jsonSchema.maxLength;
      shorten(jsonSchema);
    },
  });
  return withoutTypeLists({ ...rest }, shorten === withoutNull);
}

/** `type: [x, null]` is valid, but some clients reject it: written as two alternatives, or as one where null is redundant. */
function withoutTypeLists(schema: Record<string, unknown>, dropsNull: boolean): Record<string, unknown> {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, deeper(value, dropsNull)]));
  if (!Array.isArray(inner.type)) return inner;
  const { type, description, ...rest } = inner;
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null' || !dropsNull) : [];
  if (types.length === 1) return { ...inner, type: types[0] };
  const said = description === undefined ? {} : { description };
  return { ...said, anyOf: types.map((each) => (each === 'null' ? { type: each } : { type: each, ...rest })) };
}

function deeper(value: unknown, dropsNull: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => deeper(entry, dropsNull));
  return isObject(value) ? withoutTypeLists(value, dropsNull) : value;
}
