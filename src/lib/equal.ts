/** Whether two values are the same all through. Not imported: `node:util` takes 1 MB from the start, and nobody compares before something changes. */
export function isEqual(a: unknown, b: unknown): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(a, b);
}
