import { isObject } from '../../lib/values.ts';

/** A piece of JSON Schema. */
export type JsonSchema = Record<string, unknown>;

/** The fields of an object, or of the objects in a list; empty: it has none that are known by name. */
export function fieldsIn(schema: JsonSchema): Record<string, JsonSchema> {
  for (const form of formsOf(schema)) {
    if (isObject(form.items)) return fieldsIn(form.items);
    if (isObject(form.properties))
      return Object.fromEntries(Object.entries(form.properties).flatMap(([name, field]) => entryOf(name, field)));
  }
  return {};
}

/** The field of that name; null: it is not known by name, as in a record. */
export function fieldIn(schema: JsonSchema, name: string): JsonSchema | null {
  const fields = fieldsIn(schema);
  return Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
}

export const isList = (schema: JsonSchema): boolean => formsOf(schema).some(({ items }) => isObject(items));

/** Whether any name is allowed, as in a record. */
export function takesAnyField(schema: JsonSchema): boolean {
  return formsOf(schema).some((form) =>
    isObject(form.items)
      ? takesAnyField(form.items)
      : form.additionalProperties === true || isObject(form.additionalProperties),
  );
}

/** The first name of a path that does not exist, and those that do; null: the path is valid. */
export function unknownIn(schema: JsonSchema, [name, ...rest]: readonly string[]): Unknown | null {
  if (name === undefined) return null;
  const field = fieldIn(schema, name);
  if (field !== null) return unknownIn(field, rest);
  return takesAnyField(schema) ? null : { name, known: Object.keys(fieldsIn(schema)) };
}

export interface Unknown {
  name: string;
  known: string[];
}

/** The types of a value without `null`: `type: [x, null]` and `anyOf` are several. */
export function formsOf(schema: JsonSchema): JsonSchema[] {
  if (Array.isArray(schema.type))
    return schema.type.filter((type) => type !== 'null').map((type) => ({ ...schema, type }));
  if (!Array.isArray(schema.anyOf)) return [schema];
  return schema.anyOf.filter(isObject).filter(({ type }) => type !== 'null');
}

export function choicesIn(schema: JsonSchema): string[] {
  return formsOf(schema).flatMap((form) => {
    if (form.type === 'boolean') return ['true', 'false'];
    const listed = Array.isArray(schema.examples) ? schema.examples : [];
    return (Array.isArray(form.enum) ? form.enum : Array.isArray(form.examples) ? form.examples : listed).map(String);
  });
}

const entryOf = (name: string, field: unknown): [string, JsonSchema][] => (isObject(field) ? [[name, field]] : []);
