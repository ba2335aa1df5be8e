import type { z } from 'zod';
import { unknownIn } from '../../core/json/schema-walk.ts';
import type { Handler, HttpRequest, Methods } from '../../core/route-table.ts';
import { ServiceError } from '../../lib/errors.ts';
import { pathsIn, select, type WantedPart } from '../../lib/selection.ts';

/** Selects parts of a response; accepted where responses are long. */
export const selecting = ['fields', 'limit'] as const;

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
  const selection: WantedPart = { fields: fieldsFrom(query.getAll('fields')), limit: limitFrom(query.getAll('limit')) };
  if (selection.fields !== null) refuseUnknownFields(walked(await schema()), selection.fields, of);
  return select(value, selection);
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

export function refuseUnknownFields(schema: object, fields: readonly (readonly string[])[], of: string): void {
  for (const field of fields) {
    const unknown = unknownIn({ ...schema }, field);
    if (unknown === null) continue;
    const offer = unknown.known.length === 0 ? 'nothing is below it' : `there are ${unknown.known.join(', ')}`;
    throw new ServiceError('invalid', `${of} has no field ${JSON.stringify(field.join('.').slice(0, 200))}: ${offer}`);
  }
}

function fieldsFrom(given: readonly string[]): string[][] | null {
  if (given.length === 0) return null;
  const fields = given.flatMap(pathsIn);
  if (fields.length > 0) return fields;
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
