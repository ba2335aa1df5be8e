/** Of what came from elsewhere: something with named members, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are the same all through. Not imported: `node:util` takes 1 MB from the start, and nobody compares before something changes. */
export function isEqual(a: unknown, b: unknown): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(a, b);
}
