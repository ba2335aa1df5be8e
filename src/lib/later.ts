/** A value or a promise of it. A value is used synchronously: no promise stands between a request and its answer. */
export type Later<T> = T | Promise<T>;

export function mapLater<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs work that may throw or reject, and cleans up if it does. */
export function orUndo<T>(work: () => Later<T>, undo: () => void): Later<T> {
  const failed = (error: unknown): never => {
    undo();
    throw error;
  };
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
