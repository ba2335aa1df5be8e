/** A value or a promise of it. A value is used synchronously: no promise stands between a request and its answer. */
export type Later<T> = T | Promise<T>;

export function mapLater<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs work one after the other. An error rejects its own promise only. */
export function createSequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
