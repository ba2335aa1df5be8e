/** Created on first use and shared by all callers. */
export interface Lazily<T> {
  (): Promise<T>;
  /** null: not requested yet, or still being created. */
  made(): T | null;
}

export function lazily<T>(make: () => Promise<T>): Lazily<T> {
  let making: Promise<T> | null = null;
  let made: T | null = null;
  const get = () => {
    making ??= make().then((value) => {
      made = value;
      return value;
    });
    return making;
  };
  return Object.assign(get, { made: () => made });
}

/** Calls `make` on the first call and returns the same value from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
