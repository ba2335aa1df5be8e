/** The parts of JSON Schema that our documents use. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
}

type Schemas = Record<string, Schema>;

interface FieldRow {
  /** Dotted; lists have [] in it. */
  name: string;
  type: string;
  text: string;
}

/** Fields under a title, such as those of an answer. */
export interface Part {
  title: string;
  fields: FieldRow[];
}

interface Operation {
  method: string;
  path: string;
  summary: string;
  description: string;
  parts: Part[];
}

interface Exchange {
  event: string;
  reply: string;
  summary: string;
  description: string;
  data: FieldRow[];
  result: FieldRow[];
}

interface Content {
  content?: { 'application/json'?: { schema: Schema } };
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        summary: string;
        description?: string;
        parameters?: { name: string; description: string }[];
        requestBody?: Content;
        responses: Record<string, Content & { description: string }>;
      }
    >
  >;
  components: { schemas: Schemas };
}

export function operationsOf({ paths, components: { schemas } }: OpenApi): Operation[] {
  const fieldsOf = (title: string, content: Content | undefined) => {
    const schema = content?.content?.['application/json']?.schema;
    return { title, fields: schema === undefined ? [] : rowsOf(schema, schemas) };
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description = '', parameters = [], requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      summary,
      description,
      parts: [
        { title: 'Query', fields: parameters.map(({ name, description: text }) => ({ name, type: 'string', text })) },
        fieldsOf('Body', requestBody),
        fieldsOf('Answer', responses['200']),
        {
          title: 'Status codes',
          fields: Object.entries(responses).map(([name, { description: text }]) => ({ name, type: '', text })),
        },
      ],
    })),
  );
}

interface AsyncApi {
  operations: Record<
    string,
    { action: string; summary?: string; description?: string; reply?: { messages: { $ref: string }[] } }
  >;
  components: { messages: Record<string, { payload: Schema }>; schemas?: Schemas };
}

export function exchangesOf({ operations, components: { messages, schemas = {} } }: AsyncApi): Exchange[] {
  const dataOf = (message: string) => {
    const data = messages[message]?.payload.properties?.data;
    return data === undefined ? [] : rowsOf(data, schemas);
  };
  return Object.entries(operations)
    .filter(([, { reply }]) => reply !== undefined)
    .map(([event, { summary = '', description = '', reply }]) => {
      const name = nameIn(reply?.messages[0]?.$ref ?? '');
      return { event, reply: name, summary, description, data: dataOf(event), result: dataOf(name) };
    });
}

const nameIn = (reference: string) => reference.split('/').at(-1) ?? '';

/** What a schema describes, flat. */
function rowsOf(schema: Schema, schemas: Schemas, name = '', depth = 0): FieldRow[] {
  const real = resolved(schema, schemas);
  const text = schema.description ?? real.description ?? '';
  const own = name === '' ? [] : [{ name, type: typeOf(real, schemas), text }];
  // Deeper than any payload of ours: a schema that contains itself ends here.
  if (depth > 8) return own;
  const inner = Object.entries(real.properties ?? {}).flatMap(([key, field]) =>
    rowsOf(field, schemas, name === '' ? key : `${name}.${key}`, depth + 1),
  );
  const items = real.items === undefined ? [] : rowsOf(real.items, schemas, `${name}[]`, depth + 1).slice(1);
  return [...own, ...inner, ...items];
}

/** Behind a reference, or what else it is where it may be null. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref !== undefined) return resolved(schemas[nameIn(schema.$ref)] ?? {}, schemas);
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 && others[0] !== undefined ? resolved(others[0], schemas) : schema;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  if (schema.enum !== undefined) return schema.enum.join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((each) => typeOf(resolved(each, schemas), schemas)).join(' | ');
  return [schema.type ?? 'anything'].flat().join(' | ');
}
