import type { ActionDefinition } from '../../core/action.ts';
import { choicesIn, fieldsIn, formsOf, type JsonSchema, takesAnyField } from '../../core/json/schema-walk.ts';
import { isObject } from '../../lib/values.ts';
import { UsageError } from '../exit.ts';

/** The input of an action, as JSON Schema. */
export async function inputSchemaOf({ input }: Pick<ActionDefinition, 'input'>): Promise<JsonSchema> {
  return { ...(await input()).toJSONSchema({ io: 'input', unrepresentable: 'any' }) };
}

/** `action=PAUSE value=3`, or one JSON object, or `-` for one on standard input. */
export async function inputFrom(
  words: readonly string[],
  name: string,
  schema: JsonSchema,
  standardInput: () => Promise<string>,
): Promise<Record<string, unknown>> {
  const [first = '', ...more] = words;
  if (first === '-' || first.startsWith('{')) {
    if (more.length > 0) throw new UsageError(`${name}: give one JSON object, or key=value pairs, but not both`);
    return checkedNames(objectFrom(first === '-' ? await standardInput() : first, name), name, schema);
  }
  const pairs = words.map((word) => pairFrom(word, name));
  const twice = pairs.find(([key], at) => pairs.findIndex(([other]) => other === key) < at);
  if (twice !== undefined) throw new UsageError(`${name}: ${JSON.stringify(twice[0])} was given twice`);
  const texts = checkedNames(Object.fromEntries(pairs), name, schema);
  const fields = fieldsIn(schema);
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      valueFrom(text, (Object.hasOwn(fields, key) && fields[key]) || {}),
    ]),
  );
}

function pairFrom(word: string, name: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new UsageError(`${name}: ${JSON.stringify(word)} is neither a key=value pair nor a JSON object`);
}

function objectFrom(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${name}: the input is not valid JSON`);
  }
  if (isObject(value)) return value;
  throw new UsageError(`${name}: the input must be a JSON object`);
}

/** Programs may send unknown fields; a person gets an error for a misspelled one. */
function checkedNames<T>(input: Record<string, T>, name: string, schema: JsonSchema): Record<string, T> {
  const known = Object.keys(fieldsIn(schema));
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown === undefined || takesAnyField(schema)) return input;
  const offer = known.length === 0 ? 'it accepts no fields' : `it accepts ${known.join(', ')}`;
  throw new UsageError(`${name} has an unknown field ${JSON.stringify(unknown.slice(0, 64))}: ${offer}`);
}

/** Converted to the type of the field. Text that does not fit is sent as text: the service reports what is wrong with it. */
function valueFrom(text: string, field: JsonSchema): unknown {
  const types = formsOf(field).map(({ type }) => type);
  if (types.length === 1 && types[0] === 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    if (types.includes(undefined) || types.some((type) => isOf(type, value))) return value;
  } catch {
    // Plain text.
  }
  if (types.includes('array') && !types.includes('string') && text !== '') return text.split(',');
  return text;
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? typeof value === 'number' : typeof value === type;
}

/** `key=` for every field, and `key=value` for those whose values are known. */
export function inputCandidates(schema: JsonSchema, given: readonly string[], current: string): string[] {
  const fields = Object.entries(fieldsIn(schema));
  const at = current.indexOf('=');
  const taken = new Set(given.map((word) => word.split('=')[0]));
  if (at === -1) return fields.flatMap(([name]) => (taken.has(name) ? [] : [`${name}=`]));
  const key = current.slice(0, at);
  const field = fields.find(([name]) => name === key)?.[1] ?? {};
  return choicesIn(field).map((value) => `${key}=${value}`);
}
