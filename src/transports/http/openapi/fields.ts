import type { OpenApi, OpenApiOperation } from './openapi.document.ts';

/** A piece of JSON Schema. */
export type Json = Record<string, unknown>;

/** The document by its tags, each operation with its tables: one row per field. */
export const sectionsOf = ({ tags, paths, components: { schemas } }: OpenApi) =>
  tags.map((tag) => ({
    ...tag,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(tag.name))
        .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...withTables(operation, schemas) })),
    ),
  }));

export type ShownOperation = ReturnType<typeof sectionsOf>[number]['operations'][number];

function withTables({ summary, description = '', ...operation }: OpenApiOperation, schemas: Record<string, Json>) {
  const { schema: body, example } = operation.requestBody?.content['application/json'] ?? {};
  const [, done] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const answer = done?.content?.['application/json']?.schema;
  return {
    summary,
    description,
    needsToken: operation.security?.length !== 0,
    query: operation.parameters?.map((parameter) => [parameter.name, 'string', parameter.description]),
    body: body && schemaFieldsOf(body, schemas),
    example: example === undefined ? undefined : JSON.stringify(example),
    answer: answer && schemaFieldsOf(answer, schemas),
    statuses: Object.entries(operation.responses).map(([status, response]) => [status, '', response.description]),
  };
}

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
