/** A system library that one feature needs. Those of several features are in `Native`. */
export interface NativeLibrary<T extends object = object> {
  /** Names it in recorded calls and in threads. */
  name: string;
  open(): T;
  /** How long a call in a thread may take; left out: the default. */
  patienceMs?: number;
}

export function defineLibrary<T extends object>(
  name: string,
  open: () => T,
  options: { patienceMs?: number } = {},
): NativeLibrary<T> {
  return { name, open, ...options };
}
