import type { Clock } from '../../lib/clock.ts';
import { inSlices } from '../../lib/slices.ts';

/** Texts of long lists and of other results that many callers share, as long as they exist. */
const prepared = new WeakMap<object, string>();

/** This many entries are serialised in a fraction of a slice. */
const step = 100;

/** Serialises a long list without blocking the thread; `jsonOf` then has the text at hand. */
export async function prepareJson<T extends readonly object[]>(clock: Clock, list: T): Promise<T> {
  return list.length <= step ? list : await inSlices(clock, writing(list));
}

/** Serialises a result that waiting callers share once for all of them. */
export function keepJson<T extends object>(value: T): T {
  prepared.set(value, JSON.stringify(value));
  return value;
}

/** Serialises like `JSON.stringify`, from memory if it was prepared. */
export function jsonOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? prepared.get(value) : undefined;
  return text ?? JSON.stringify(value);
}

function* writing<T extends readonly object[]>(list: T): Generator<void, T> {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += step) {
    parts.push(JSON.stringify(list.slice(start, start + step)).slice(1, -1));
    yield;
  }
  prepared.set(list, `[${parts.join()}]`);
  return list;
}
