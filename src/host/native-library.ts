/** A library of the system that one feature needs. Several features share those of `Native`. */
export interface NativeLibrary<T extends object = object> {
  /** Names it in recorded calls and in threads. */
  name: string;
  open(): T;
  /** How long a call in a thread may take; left out: as long as that of any other library. */
  patienceMs?: number;
}

export function defineLibrary<T extends object>(
  name: string,
  open: () => T,
  options: { patienceMs?: number } = {},
): NativeLibrary<T> {
  return { name, open, ...options };
}
