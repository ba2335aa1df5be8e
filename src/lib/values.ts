/** Whether an untrusted value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep equality. Not imported: `node:util` takes 1 MB at startup. */
export function isEqual(a: unknown, b: unknown): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(a, b);
}
