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
