/** There at once, or in a while. What is there at once is used at once: no promise stands between a request and its answer. */
export type Later<T> = T | Promise<T>;

export function mapLater<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Does something that may fail at once or in a while, and cleans up if it does. */
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
