import { isObject } from '../../lib/values.ts';
import { fitting } from './fit-json.ts';
import type { GetModuleOutput } from './get-module.schema.ts';

export interface PageWish {
  items: number;
  /** Fewer items where they would be more than this. */
  bytes: number;
  /** Entries to skip. */
  offset: number;
}

export interface PageOfLists {
  data: unknown;
  truncated: GetModuleOutput['truncated'];
  /** The number of entries to skip for the next page; null: this is the last one. */
  next: number | null;
}

/** A page of data: this many entries of its top-level lists from the given offset. Lists inside entries are cut, and have no pages. */
export function pageOfLists(data: unknown, { items, bytes, offset }: PageWish): PageOfLists {
  const totals = new Map<string, number>();
  const skip = (value: unknown, path: string) => {
    if (!Array.isArray(value)) return value;
    totals.set(`${path}[]`, value.length);
    return value.slice(offset);
  };
  const rest = isObject(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [key, skip(value, key)]))
    : skip(data, '');
  const fit = fitting(rest, items, bytes);
  const cuts = new Map(fit.truncated.map((cut) => [cut.field, cut]));
  const listed = [...totals].flatMap(([field, total]) => {
    const shown = cuts.get(field)?.shown ?? Math.max(0, total - offset);
    return shown === total ? [] : [{ field, ...(offset === 0 ? {} : { from: offset }), shown, total }];
  });
  const ends = listed.filter(({ shown, total }) => offset + shown < total).map(({ shown }) => offset + shown);
  return {
    data: fit.data,
    truncated: [...listed, ...fit.truncated.filter(({ field }) => !totals.has(field))],
    next: ends.length === 0 ? null : Math.min(...ends),
  };
}
