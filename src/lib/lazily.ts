/** Made when it is first asked for, and the same for all who ask. */
export interface Lazily<T> {
  (): Promise<T>;
  /** null: nobody has asked yet, or it is still being made. */
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
