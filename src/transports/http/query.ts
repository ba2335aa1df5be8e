import type { z } from 'zod';
import { unknownIn } from '../../core/json/schema-walk.ts';
import type { Handler, HttpRequest, Methods } from '../../core/route-table.ts';
import { ServiceError } from '../../lib/errors.ts';
import { fieldNamesIn, pathsIn, pickFields, toFieldTree } from '../../lib/field-path.ts';

/** Selects parts of a response; accepted where responses are long. */
export const selecting = ['fields', 'limit'] as const;

/** Distinct paths in `fields`: more than any response has. */
export const maxFields = 100;

/** Refuses unknown parameters: ignoring them would look as if they had worked. */
export function refuseUnknownQuery({ rawQuery, path }: HttpRequest, known: readonly string[]): void {
  if (rawQuery === '') return;
  const unknown = [...new URLSearchParams(rawQuery).keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (unknown === 'token')
    throw new ServiceError('invalid', 'A token must not be part of an address: send it in the header X-API-Token');
  const offer = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  throw new ServiceError(
    'invalid',
    `There is no query parameter ${JSON.stringify(unknown.slice(0, 64))} at ${path}: ${offer}`,
  );
}

/** Routes without parameters, also for unauthenticated clients. */
export function withoutQuery([path, methods]: [string, Methods]): [string, Methods] {
  const checked = Object.entries(methods).map(([method, handle]): [string, Handler | undefined] => [
    method,
    handle &&
      ((request) => {
        refuseUnknownQuery(request, []);
        return handle(request);
      }),
  ]);
  return [path, Object.fromEntries(checked)];
}

/** Applies `fields` and `limit` to a value of this schema. `of` is its name in messages. */
export async function selectedBy(
  rawQuery: string,
  value: unknown,
  schema: () => Promise<z.ZodType>,
  of: string,
): Promise<unknown> {
  const query = new URLSearchParams(rawQuery);
  const fields = fieldsFrom(query.getAll('fields'));
  const limit = limitFrom(query.getAll('limit'));
  if (fields !== null) refuseUnknownFields(walked(await schema()), fields, of);
  const picked = fields === null ? value : pickFields(value, toFieldTree(fields));
  return limit === null ? picked : shorten(picked, limit);
}

/** Applies the limit to every list. */
function shorten(value: unknown, limit: number): unknown {
  if (Array.isArray(value)) return value.slice(0, limit).map((entry) => shorten(entry, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner, limit)]));
}

/** Cached per schema: walking one takes longer than the rest of the response. */
const walkedBefore = new WeakMap<z.ZodType, object>();

function walked(schema: z.ZodType): object {
  const known = walkedBefore.get(schema);
  if (known !== undefined) return known;
  const made = schema.toJSONSchema({ unrepresentable: 'any' });
  walkedBefore.set(schema, made);
  return made;
}

export function refuseUnknownFields(schema: object, fields: Iterable<string>, of: string): void {
  for (const field of fields) {
    const unknown = unknownIn({ ...schema }, fieldNamesIn(field));
    if (unknown === null) continue;
    const offer = unknown.known.length === 0 ? 'nothing is below it' : `there are ${unknown.known.join(', ')}`;
    throw new ServiceError('invalid', `${of} has no field ${JSON.stringify(field.slice(0, 200))}: ${offer}`);
  }
}

function fieldsFrom(given: readonly string[]): Set<string> | null {
  if (given.length === 0) return null;
  const fields = pathsIn(given.join(','));
  if (fields.size > maxFields) throw new ServiceError('invalid', `fields must name at most ${maxFields} fields`);
  if (fields.size > 0) return fields;
  throw new ServiceError(
    'invalid',
    'fields must name at least one field: separate fields by commas, and parts of a path by dots',
  );
}

function limitFrom(given: readonly string[]): number | null {
  const [text] = given;
  if (text === undefined) return null;
  if (given.length === 1 && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ServiceError('invalid', 'limit must be one whole number of at least 1');
}
