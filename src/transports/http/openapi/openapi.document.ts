import { type Json, schemaFieldsOf } from './fields.ts';

/** The parts of OpenAPI 3.1 in use. */
export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; license: Json };
  servers: Json[];
  tags: { name: string; description: string }[];
  security: Json[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { securitySchemes: Json; schemas: Record<string, Json> };
}

export interface OpenApiOperation {
  tags: string[];
  summary: string;
  /** Added to all operations at the end. */
  operationId?: string;
  description?: string;
  security?: Json[];
  parameters?: { name: string; in: string; required: boolean; description: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Json; example?: unknown }>; headers?: Json }
  >;
}

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
