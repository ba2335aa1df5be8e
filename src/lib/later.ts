/** A value or a promise of it. A value is used synchronously: no promise stands between a request and its answer. */
export type Later<T> = T | Promise<T>;

export function mapLater<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
