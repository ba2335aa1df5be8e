import type { z } from 'zod';
import { select, selectionFrom } from '../../core/json/selection.ts';
import type { Handler, HttpRequest, Methods, Routes } from '../../core/route-table.ts';
import { ServiceError } from '../../lib/errors.ts';
import { listResponse } from './respond.ts';

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
export function withoutQuery(routes: Routes): Routes {
  const checked = (handle: Handler | undefined): Handler | undefined =>
    handle &&
    ((request) => {
      refuseUnknownQuery(request, []);
      return handle(request);
    });
  const all = Object.entries(routes).map(([path, methods]): [string, Methods] => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, handle]) => [method, checked(handle)])),
  ]);
  return Object.fromEntries(all);
}

/** Applies `fields`, `sort` and `limit` to a value of this schema. `of` is its name in messages. */
export async function selectedBy(
  rawQuery: string,
  value: unknown,
  schema: () => Promise<z.ZodType>,
  of: string,
): Promise<unknown> {
  const query = new URLSearchParams(rawQuery);
  const selection = selectionFrom({
    fields: joined(query.getAll('fields')),
    sort: joined(query.getAll('sort')),
    limit: joined(query.getAll('limit')),
  });
  return selection === null ? value : select(value, selection, await schema(), of);
}

/** The list of a route that takes `selecting`. */
export async function selectedList(
  request: HttpRequest,
  list: readonly unknown[],
  entry: () => Promise<z.ZodType>,
  of: string,
): Promise<Response> {
  const { rawQuery } = request;
  return listResponse(rawQuery === '' ? list : await selectedBy(rawQuery, list, entry, of), request);
}

const joined = (given: readonly string[]) => (given.length === 0 ? undefined : given.join());
