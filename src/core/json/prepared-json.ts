import type { Clock } from '../../lib/clock.ts';
import { jsonText } from '../../lib/json-text.ts';
import { inSlices } from '../../lib/slices.ts';

/** The texts, in parts, of long lists and of other results that many callers share, as long as they exist. */
const prepared = new WeakMap<object, readonly string[]>();

/** This many entries are serialised in a fraction of a slice. */
const step = 100;

/** Serialises a long list without blocking the thread; `jsonOf` then has the text at hand. */
export async function prepareJson<T extends readonly object[]>(clock: Clock, list: T): Promise<T> {
  return list.length <= step ? list : await inSlices(clock, writing(list));
}

/** Serialises a result that waiting callers share once for all of them. */
export function keepJson<T extends object>(value: T): T {
  prepared.set(value, [jsonText(value)]);
  return value;
}

/** Serialises like `JSON.stringify`, from memory if it was prepared. */
export function jsonOf(value: unknown): string {
  const parts = typeof value === 'object' && value !== null ? prepared.get(value) : undefined;
  return parts?.join('') ?? jsonText(value);
}

/** The same in parts: the whole text of a long list would be as large again. */
export const jsonPartsOf = (list: readonly object[]): readonly string[] => prepared.get(list) ?? [jsonText(list)];

/** Of the text, in characters; 0: it was not prepared. */
export function preparedLength(value: unknown): number {
  const parts = typeof value === 'object' && value !== null ? prepared.get(value) : undefined;
  return parts?.reduce((sum, part) => sum + part.length, 0) ?? 0;
}

function* writing<T extends readonly object[]>(list: T): Generator<void, T> {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += step) {
    const separator = start === 0 ? '[' : ',';
    parts.push(separator + jsonText(list.slice(start, start + step)).slice(1, -1));
    yield;
  }
  prepared.set(list, [...parts, ']']);
  return list;
}
