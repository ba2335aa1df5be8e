import type { Clock } from '../lib/clock.ts';

/** Collects the reasons of one read. */
export function collectReasons(): { reasons: Reasons; collected: Reason[] } {
  const collected: Reason[] = [];
  const add = (mendable: boolean) => (field: string | null, reason: string) => {
    collected.push({ field, reason, mendable });
  };
  return { reasons: { missing: add(true), inherent: add(false) }, collected };
}

/** How a source reports why a field is null. Fields are dot paths, `[]` stands for every entry of a list; null: the whole module. */
export interface Reasons {
  /** Something is missing or cannot be read, and the user can change that. The sentence says how. Makes the module "degraded". */
  missing(field: string | null, sentence: string): void;
  /** null is the correct value on this machine, such as the battery of a desktop. */
  inherent(field: string | null, sentence: string): void;
}

export interface Reason {
  /** The field that is null; null: the whole module. */
  field: string | null;
  reason: string;
  /** Whether the user can do something about it. */
  mendable: boolean;
}

/** Caches a read for this time, with its reasons. */
export function remembered<T>(
  { monotonic }: Pick<Clock, 'monotonic'>,
  forMs: number,
  read: (reasons: Reasons) => T,
): (reasons: Reasons) => T {
  let last: { value: T; collected: Reason[]; at: number } | null = null;
  return (reasons) => {
    if (last === null || monotonic() - last.at >= forMs) {
      const { reasons: given, collected } = collectReasons();
      last = { value: read(given), collected, at: monotonic() };
    }
    report(last.collected, reasons);
    return last.value;
  };
}

/**
 * Says why fields are null in some of these entries of `path`, such as `disks[]`; '': of the payload itself. `why`: the sentences by field, or
 * for any field.
 */
export function explainNulls<T extends object>(
  entries: readonly T[],
  path: string,
  why: Partial<Record<keyof T & string, string>> | ((field: string) => string),
  say: Reasons['inherent'],
): void {
  const fields = Object.keys(typeof why === 'function' ? (entries[0] ?? {}) : why) as (keyof T & string)[];
  for (const field of fields)
    if (entries.some((entry) => entry[field] === null))
      say(path === '' ? field : `${path}.${field}`, typeof why === 'function' ? why(field) : (why[field] ?? ''));
}

export function report(collected: readonly Reason[], reasons: Reasons): void {
  for (const { field, reason, mendable } of collected) reasons[mendable ? 'missing' : 'inherent'](field, reason);
}
