import type { Json } from './fields.ts';

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
