import { ownCommand } from '../../../lib/own-command.ts';
import { isObject } from '../../../lib/values.ts';
import { type Json, resolve } from './fields.ts';
import type { OpenApi, OpenApiOperation } from './openapi.document.ts';

/** Completes every operation: a name, examples of input and output, and its errors. */
export function finishOperations(document: OpenApi): OpenApi {
  const { schemas } = document.components;
  const paths = Object.entries(document.paths).map(([path, methods]): [string, Record<string, OpenApiOperation>] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, finished(path, method, operation, schemas)]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function finished(
  path: string,
  method: string,
  operation: OpenApiOperation,
  schemas: Record<string, Json>,
): OpenApiOperation {
  const { requestBody } = operation;
  const responses =
    operation.responses[400] === undefined ? { ...operation.responses, 400: noSuchQuery } : operation.responses;
  return {
    ...operation,
    operationId: operationIdOf(path, method, operation.tags),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: withExamples(requestBody.content, schemas) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.content === undefined
          ? response
          : { ...response, content: withExamples(response.content, schemas, sentences[status]) },
      ]),
    ),
  };
}

/** `powerLock` for actions; otherwise the method and the path, as in `getDataCpu`. */
function operationIdOf(path: string, method: string, tags: readonly string[]): string {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '' && word !== 'api');
  const [first = 'api', ...rest] = tags.includes('actions')
    ? words
    : [method, ...(words.length === 0 ? ['api'] : words)];
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

type Content = Record<string, { schema: Json; example?: unknown }>;

function withExamples(content: Content, schemas: Record<string, Json>, sentence?: string): Content {
  const json = content['application/json'];
  if (json === undefined || json.example !== undefined) return content;
  const example = sentence === undefined ? exampleOf(json.schema, schemas) : { error: sentence };
  return { ...content, 'application/json': { ...json, example } };
}

const noSuchQuery = {
  description: 'A query parameter that this path does not accept',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Example error messages. */
const sentences: Partial<Record<string, string>> = {
  400: 'There is no query parameter "verbose" at /api/health: it takes none',
  401: `A token is needed, in the header X-API-Token; "${ownCommand('token')}" prints it`,
  403: 'The token "phone" lacks the scope power',
  404: 'There is nothing by this name here',
  405: 'PUT is not allowed at /api/modules; use GET, HEAD',
  409: 'Something prevents it: an update is being installed',
  413: 'A body has at most 262144 bytes',
  415: 'The body must be JSON: send Content-Type: application/json',
  416: 'The range lies outside the file',
  429: 'Too many wrong tokens from this address; a valid one is still accepted',
  501: 'power.hibernate is not supported on this machine',
  502: 'The operating system refused the request',
};

/** An example of this schema: its own example, else the simplest valid value. */
function exampleOf(given: unknown, schemas: Record<string, Json>): unknown {
  if (!isObject(given)) return null;
  const schema = resolve(given, schemas);
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
