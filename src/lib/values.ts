/** Whether an untrusted value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep equality. Not that of `node:util`, which takes 1 MB. */
export function isEqual(a: unknown, b: unknown): boolean {
  return Bun.deepEquals(a, b, true);
}
