import { z } from 'zod';
import type { ActionDefinition } from '../src/core/action.ts';
import type { ModuleDefinition } from '../src/core/module.ts';
import { listenersEveryMs } from '../src/core/store.ts';

/** The parts of JSON Schema that our schemas use. */
interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
}

/** `packages/client/src/events.generated.ts`: the types of modules and actions for clients, without a schema library. */
export async function clientTypesSource(
  modules: readonly ModuleDefinition[],
  actions: readonly ActionDefinition[],
): Promise<string> {
  /** Long types by their text, so that each is written once. */
  const written = new Map<string, string>();
  const once = (type: string, reference: string) => {
    const earlier = written.get(type);
    if (type.length > 200 && earlier === undefined) written.set(type, reference);
    return earlier ?? type;
  };
  const payloads: string[] = [];
  for (const { name, description, schema } of modules)
    payloads.push(property(name, description, once(typeOf(await schema(), 'output'), `ModulePayloads['${name}']`)));
  const requests: string[] = [];
  for (const { description, effect, input, output, wire } of actions) {
    const own = typeOf(await input(), 'input');
    const selection = own === 'object' ? 'Selection' : `${own} & Selection`;
    const data = effect === 'read' ? selection : once(own, `ActionRequests['${wire.event}']['data']`);
    const result = once(typeOf(await output(), 'output'), `ActionRequests['${wire.event}']['result']`);
    requests.push(property(wire.event, description, `{\n${indented(`data: ${data};\nresult: ${result};`)}\n}`));
  }
  const replies = actions
    .flatMap(({ wire }) => [wire, ...(wire.aliases ?? [])])
    .map(({ event, reply }) => `${event}: '${reply}',`);
  const intervals = modules
    .filter(({ everyMs }) => everyMs < listenersEveryMs)
    .map(({ name, everyMs }) => `${name}: ${everyMs},`);
  return `// Made by "npm run generate" from the schemas of modules and actions.

/** What each module says. */
export interface ModulePayloads {
${indented(payloads.join('\n'))}
}

/** What reads take as well. */
export interface Selection {
  /** A field, with dots for one inside others; with - in front, the highest first. The innermost list on the way to it is sorted. */
  sort?: string | undefined;
  /** At most so many entries of every list, after sorting. */
  limit?: number | undefined;
}

/** Milliseconds between two updates of the modules that change all the time. */
export const moduleIntervals = {
${indented(intervals.join('\n'))}
} as const;

/** What each event takes, and what its response contains. */
export interface ActionRequests {
${indented(requests.join('\n'))}
}

/** Type of the message that answers each event; other messages with the same id come in addition. */
export const actionReplies = {
${indented(replies.join('\n'))}
} as const;
`;
}

const typeOf = (schema: z.ZodType, io: 'input' | 'output') => toType(z.toJSONSchema(schema, { io }) as JsonSchema);

function toType(schema: JsonSchema): string {
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const joined = schema.anyOf ?? schema.allOf;
  if (joined !== undefined) return [...new Set(joined.map(toType))].join(schema.anyOf === undefined ? ' & ' : ' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => toType({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'object':
      return toObject(schema);
    case 'array':
      return listOf(toType(schema.items ?? {}));
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

const listOf = (type: string) => (/[|&]/.test(type.replaceAll(/\{[\s\S]*\}/g, '')) ? `(${type})[]` : `${type}[]`);

function toObject({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const entries = Object.entries(properties);
  if (entries.length === 0)
    return typeof additionalProperties === 'object' ? `Record<string, ${toType(additionalProperties)}>` : 'object';
  const lines = entries.map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return property(`${name}${optional}`, describe(schema), toType(schema) + (optional === '' ? '' : ' | undefined'));
  });
  return `{\n${indented(lines.join('\n'))}\n}`;
}

/** The part beside null names the type. */
const describe = ({ description, anyOf }: JsonSchema): string | undefined =>
  description ?? anyOf?.find((one) => one.description !== undefined)?.description;

function property(name: string, description: string | undefined, type: string): string {
  const line = `${/^\w+\??$/.test(name) ? name : JSON.stringify(name)}: ${type};`;
  if (description === undefined) return line;
  const comment = `/** ${description.replaceAll('*/', '* /')} */`;
  const isShort = !line.includes('\n') && comment.length + line.length < 120;
  return `${comment}${isShort ? ' ' : '\n'}${line}`;
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));
const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ');
