import { sha256 } from '../lib/digest.ts';
import { ServiceError } from '../lib/errors.ts';
import { firstSorted } from './first-sorted.ts';

export interface Page<T> {
  rows: T[];
  /** null: this is the last page. */
  next: string | null;
}

/** A page of a list in this order. A cursor is valid only with the arguments it came from. */
export function pageOf<T>(
  list: readonly T[],
  order: (a: T, b: T) => number,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  query: unknown,
): Page<T> {
  const mark = sha256(JSON.stringify(query)).toString('base64url').slice(0, 8);
  const start = cursor === undefined ? 0 : startOf(cursor, mark);
  const end = start + limit;
  return { rows: firstSorted(list, end, order).slice(start), next: end < list.length ? `${end}-${mark}` : null };
}

function startOf(cursor: string, mark: string): number {
  const [, start, from] = /^(\d{1,9})-([\w-]{8})$/.exec(cursor) ?? [];
  if (start !== undefined && from === mark) return Number(start);
  throw new ServiceError(
    'invalid',
    'This cursor does not belong to these filters: repeat the call that gave next_cursor with the same arguments, or leave cursor out',
  );
}
