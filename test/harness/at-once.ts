/** A value that must be available synchronously. */
export function atOnce<T>(value: T | Promise<T>): T {
  if (value instanceof Promise) throw new Error('Expected a synchronous value, got a promise');
  return value;
}
