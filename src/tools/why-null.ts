import type { Reason } from '../core/reasons.ts';
import { isObject } from '../lib/values.ts';

/** The fields that a reason applies to; `*`: all that are null. */
export interface WhyNull {
  fields: string[];
  reason: string;
}

/** For a source without a reason: an agent should not take null for "none". */
const unexplained = 'It is unknown here, and no reason is given';

/** The reasons for null or empty values of an answer, each sentence once. Empty without nulls. */
export function whyNull(result: unknown, reasons: readonly Pick<Reason, 'field' | 'reason'>[]) {
  const { nulls, empty } = lackingIn(result);
  const fieldsOf = new Map<string, Set<string>>();
  const add = (reason: string, field: string) => fieldsOf.set(reason, (fieldsOf.get(reason) ?? new Set()).add(field));
  const left = new Set(nulls);
  for (const { field, reason } of reasons) {
    const concerned = [...nulls, ...empty].filter((path) => isWithin(path, field));
    if (concerned.length > 0) add(reason, field ?? '*');
    for (const path of concerned) left.delete(path);
  }
  for (const path of left) add(unexplained, path);
  const why_null: WhyNull[] = [...fieldsOf].map(([reason, fields]) => ({ fields: [...fields], reason }));
  return why_null.length === 0 ? {} : { why_null };
}

/** Reasons of a module with the field names of the answer; fields that the answer lacks are left out. */
export function renamed(reasons: readonly Reason[], names: Record<string, string | readonly string[]>) {
  return reasons.flatMap(({ field, reason }) =>
    Object.entries(names)
      .filter(([name]) => isWithin(name, field))
      .flatMap(([, here]) => here)
      .map((here) => ({ field: here, reason })),
  );
}

/** `per_cpu[].times.dpc` is within itself, `per_cpu[].times` and `per_cpu`; everything is within null, the whole. */
function isWithin(path: string, field: string | null): boolean {
  return field === null || path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[]`);
}

/** Paths as reasons have them: `[]` stands for every entry of a list. */
function lackingIn(result: unknown): { nulls: Set<string>; empty: Set<string> } {
  const found = { nulls: new Set<string>(), empty: new Set<string>() };
  const look = (value: unknown, path: string): void => {
    if (value === null) found.nulls.add(path);
    else if (value === '' || (Array.isArray(value) && value.length === 0)) found.empty.add(path);
    else if (Array.isArray(value)) for (const entry of value) look(entry, `${path}[]`);
    else if (isObject(value))
      for (const key of Object.keys(value)) if (mayLack(value[key])) look(value[key], below(path, key));
  };
  look(result, '');
  return found;
}

/** Most values are neither null nor empty, and need no path. */
const mayLack = (value: unknown) => typeof value === 'object' || value === '';

const below = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);
