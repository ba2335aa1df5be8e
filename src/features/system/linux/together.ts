/** Values that may still be waited for. */
export type Pending<T extends readonly unknown[]> = { [K in keyof T]: T[K] | Promise<T[K]> };

/** Goes on at once where nothing has to be waited for: a promise for what is known costs more than knowing it. */
export function together<T extends readonly unknown[], R>(
  parts: readonly [...Pending<T>],
  finish: (values: T) => R,
): R | Promise<R> {
  return finishWith(parts, finish);
}

function finishWith<T extends readonly unknown[], R>(
  parts: readonly unknown[],
  finish: (values: T) => R,
): R | Promise<R> {
  if (areThere<T>(parts)) return finish(parts);
  return Promise.all(parts).then((values) => finishWith(values, finish));
}

function areThere<T extends readonly unknown[]>(parts: readonly unknown[]): parts is T {
  return !parts.some((part) => part instanceof Promise);
}
