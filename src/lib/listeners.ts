/** Callbacks of those who follow something. One may end, or begin, during an announcement. */
export interface Listeners<A extends unknown[]> {
  /** Returns the function that stops it. */
  add(listener: (...about: A) => void): () => void;
  announce(...about: A): void;
  clear(): void;
}

export function createListeners<A extends unknown[] = []>(): Listeners<A> {
  const listeners = new Set<(...about: A) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce(...about) {
      for (const listener of [...listeners]) listener(...about);
    },
    clear: () => listeners.clear(),
  };
}
