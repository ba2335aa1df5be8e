/** What need not be waited for, and must not be. */
export function atOnce<T>(value: T | Promise<T>): T {
  if (value instanceof Promise) throw new Error('A promise came where everything is at hand');
  return value;
}
