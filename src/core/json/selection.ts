import type { z } from 'zod';
import { ServiceError } from '../../lib/errors.ts';
import { fieldNamesIn, pathsIn, pickFields, toFieldTree } from '../../lib/field-path.ts';
import { isObject } from '../../lib/values.ts';
import { fieldIn, fieldsIn, isList, type JsonSchema, unknownIn } from './schema-walk.ts';

/** The part of a response that a client asks for. Applied in this order: sort, fields, limit. */
export interface PayloadSelection {
  /** Distinct paths; null: all. */
  fields: ReadonlySet<string> | null;
  sort: { path: string; descending: boolean } | null;
  /** Of every list, except texts and numbers within an entry; null: none. */
  limit: number | null;
}

/** As it was given; undefined: not at all. */
export interface SelectionWords {
  fields?: string | undefined;
  sort?: string | undefined;
  limit?: string | undefined;
}

/** Selects parts of a response; accepted where responses are long. */
export const selecting = ['fields', 'sort', 'limit'] as const;

export const isSelecting = (name: string): boolean => selecting.some((each) => each === name);

/** Distinct paths in `fields`: more than any response has. */
export const maxFields = 100;
/** Of the paths together; an address is not longer either. */
const longestSelection = 16_384;

/** null: nothing is selected. */
export function selectionFrom({ fields, sort, limit }: SelectionWords): PayloadSelection | null {
  if (fields === undefined && sort === undefined && limit === undefined) return null;
  if ((fields ?? '').length + (sort ?? '').length > longestSelection)
    throw new ServiceError('invalid', `fields and sort may have ${longestSelection} characters together`);
  return { fields: fieldsFrom(fields), sort: sortFrom(sort), limit: limitFrom(limit) };
}

/** The selection in the data of a message; null: none. There `fields` is a list, and `limit` a number. */
export function selectionIn({ fields, sort, limit }: Record<string, unknown>): PayloadSelection | null {
  const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === 'string');
  if (fields != null && !isNames(fields)) throw new ServiceError('invalid', 'fields must be a list of texts');
  if (sort != null && typeof sort !== 'string') throw new ServiceError('invalid', 'sort must be a text');
  if (limit != null && typeof limit !== 'number' && typeof limit !== 'string')
    throw new ServiceError('invalid', 'limit must be a number');
  const text = (value: unknown) => (value == null ? undefined : String(value));
  return selectionFrom({ fields: text(fields), sort: text(sort), limit: text(limit) });
}

/** Throws where the schema has no such field. A value that is a list may be described by the schema of its entries. */
export function select(value: unknown, selection: PayloadSelection, schema: z.ZodType, of: string): unknown {
  refuseUnknown(selection, schema, of, Array.isArray(value));
  return apply(value, selection);
}

export function refuseUnknown(
  { fields, sort }: PayloadSelection,
  schema: z.ZodType,
  of: string,
  isInList = false,
): void {
  if (fields === null && sort === null) return;
  const known = walked(schema);
  for (const field of fields ?? []) refuseUnknownField(known, field, of);
  if (sort !== null) refuseUnsortable(known, sort.path, of, isInList);
}

/** The checked selection of a value. */
export function apply(value: unknown, { fields, sort, limit }: PayloadSelection): unknown {
  const sorted = sort === null ? value : sortedBy(value, fieldNamesIn(sort.path), sort.descending ? -1 : 1);
  const picked = fields === null ? sorted : pickFields(sorted, toFieldTree(fields));
  return limit === null ? picked : shorten(picked, limit);
}

/** A longer list would keep the service from other work. */
export const mostSorted = 20_000;

/** Sorts the innermost list on the path by the rest of the path. Entries without a value are last in both directions. */
function sortedBy(value: unknown, names: readonly string[], sign: 1 | -1): unknown {
  if (Array.isArray(value)) {
    if (value.length > mostSorted)
      throw new ServiceError('too_large', `A list of ${value.length} entries is not sorted; at most ${mostSorted} are`);
    const keyed = value.map((entry) => ({ entry: sortedBy(entry, names, sign), key: keyOf(entry, names) }));
    keyed.sort((a, b) => compare(a.key, b.key, sign));
    return keyed.map(({ entry }) => entry);
  }
  const [name, ...rest] = names;
  if (!isObject(value) || name === undefined || !Object.hasOwn(value, name)) return value;
  const inner = sortedBy(value[name], rest, sign);
  return inner === value[name] ? value : { ...value, [name]: inner };
}

type Key = number | string | null;

/** null also where the path leads through another list: that one is sorted instead. */
function keyOf(entry: unknown, names: readonly string[]): Key {
  let value = entry;
  for (const name of names) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name];
  }
  return typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'number' || typeof value === 'string'
      ? value
      : null;
}

function compare(a: Key, b: Key, sign: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -sign : a > b ? sign : 0;
}

/** Applies the limit to every list, except to texts and numbers that describe an entry, such as the scopes of a token. */
function shorten(value: unknown, limit: number, isInEntry = false): unknown {
  if (Array.isArray(value)) {
    if (isInEntry && !value.some(isObject)) return value;
    return value.slice(0, limit).map((entry) => shorten(entry, limit, true));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner, limit, isInEntry)]));
}

/** Cached per schema: walking one takes longer than the rest of the response. */
const walkedBefore = new WeakMap<z.ZodType, JsonSchema>();

function walked(schema: z.ZodType): JsonSchema {
  const known = walkedBefore.get(schema);
  if (known !== undefined) return known;
  const made = { ...schema.toJSONSchema({ unrepresentable: 'any' }) };
  walkedBefore.set(schema, made);
  return made;
}

function refuseUnknownField(schema: JsonSchema, field: string, of: string): void {
  const unknown = unknownIn(schema, fieldNamesIn(field));
  if (unknown === null) return;
  throw new ServiceError('invalid', `${of} has no field ${quoted(field)}: ${offer(unknown.known)}`);
}

function refuseUnsortable(schema: JsonSchema, path: string, of: string, isInList: boolean): void {
  refuseUnknownField(schema, path, of);
  let inner: JsonSchema | null = schema;
  let passesList = isInList || isList(schema);
  for (const name of fieldNamesIn(path)) {
    inner = fieldIn(inner, name);
    // A table with names of its own.
    if (inner === null) return;
    passesList ||= isList(inner);
  }
  if (!passesList) throw new ServiceError('invalid', `${of} cannot be sorted by ${quoted(path)}: it is not in a list`);
  const below = Object.keys(fieldsIn(inner));
  if (below.length > 0)
    throw new ServiceError(
      'invalid',
      `${of} cannot be sorted by ${quoted(path)}: add the field to sort by, one of ${below.join(', ')}`,
    );
}

const quoted = (path: string) => JSON.stringify(path.slice(0, 200));

const offer = (known: readonly string[]) =>
  known.length === 0 ? 'nothing is below it' : `there are ${known.join(', ')}`;

function fieldsFrom(text: string | undefined): Set<string> | null {
  if (text === undefined) return null;
  const fields = pathsIn(text);
  if (fields.size > maxFields) throw new ServiceError('invalid', `fields must name at most ${maxFields} fields`);
  if (fields.size > 0) return fields;
  throw new ServiceError(
    'invalid',
    'fields must name at least one field: separate fields by commas, and parts of a path by dots',
  );
}

function sortFrom(text: string | undefined): PayloadSelection['sort'] {
  if (text === undefined) return null;
  const descending = text.startsWith('-');
  const path = descending ? text.slice(1) : text;
  if (/^[^,\s]+$/.test(path) && fieldNamesIn(path).length > 0) return { path, descending };
  throw new ServiceError('invalid', 'sort must be one field, such as cpu_usage, or -cpu_usage for the highest first');
}

function limitFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ServiceError('invalid', 'limit must be one whole number of at least 1');
}
