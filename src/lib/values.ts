/** Whether an untrusted value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
  list: unknown[];
  object: Record<string, unknown>;
}

/** Whether an untrusted value is an object with fields of these kinds. */
export function hasFields<F extends Record<string, keyof Kinds>>(
  value: unknown,
  fields: F,
): value is { [N in keyof F]: Kinds[F[N]] } & Record<string, unknown> {
  return isObject(value) && Object.entries(fields).every(([name, kind]) => isOfKind(value[name], kind));
}

function isOfKind(value: unknown, kind: keyof Kinds): boolean {
  if (kind === 'list') return Array.isArray(value);
  return kind === 'object' ? isObject(value) : typeof value === kind;
}

/** The object in a text of JSON; null: it is damaged, or holds something else. */
export function objectIn(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Deep equality. Not that of `node:util`, which takes 1 MB. */
export function isEqual(a: unknown, b: unknown): boolean {
  return Bun.deepEquals(a, b, true);
}
