import type { Clock } from '../../lib/clock.ts';
import type { Later } from '../../lib/later.ts';
import { inSlices } from '../../lib/slices.ts';

/** Texts of long lists, as long as the lists themselves are needed. */
const prepared = new WeakMap<object, string>();

/** So many entries are written in a fraction of a slice. */
const step = 100;

/** Writes a long list as JSON without holding anybody up; whoever sends it then has the text at hand. */
export function prepareJson<T extends readonly object[]>(clock: Clock, list: T): Later<T> {
  if (list.length <= step) return list;
  return inSlices(clock, writing(list));
}

/** What `JSON.stringify` gives, at once where it was prepared. */
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
