/** A piece of JSON Schema. */
export type Json = Record<string, unknown>;

/** One row per field, nested ones by their path. */
export function schemaFieldsOf(given: Json, schemas: Record<string, Json>, prefix = ''): string[][] {
  const schema = resolve(given, schemas);
  if (schema.type === 'array') return schemaFieldsOf(toJson(schema.items), schemas, `${prefix}[]`);
  const properties = toJson(schema.properties);
  return Object.entries(properties).flatMap(([key, value]) => {
    const inner = nonNull(resolve(toJson(value), schemas));
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const row = [
      name,
      typeOf(resolve(toJson(value), schemas)),
      String(toJson(value).description ?? inner.description ?? ''),
    ];
    return [row, ...(inner.type === 'object' || inner.type === 'array' ? schemaFieldsOf(inner, schemas, name) : [])];
  });
}

/** What a reference points to. */
export function resolve(schema: Json, schemas: Record<string, Json>): Json {
  return '$ref' in schema ? (schemas[nameIn(schema)] ?? {}) : schema;
}

/** The name of what a reference points to. */
export const nameIn = ({ $ref }: Json) => String($ref).split('/').at(-1) ?? '';

/** `anyOf [X, null]` is a nullable field. */
function nonNull(schema: Json): Json {
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.map(toJson).filter(({ type }) => type !== 'null') : [];
  return options.length === 1 ? { ...schema, ...options[0] } : schema;
}

function typeOf(schema: Json): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((option) => typeOf(toJson(option))).join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.join(', ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return String(schema.type ?? 'any');
}

export function toJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
