/** Callbacks of those who follow something. One may end, or begin, during an announcement. */
export interface Listeners<A extends unknown[]> {
  /** Returns the function that stops it. A function may be added twice. */
  add(listener: (...about: A) => void): () => void;
  announce(...about: A): void;
  isEmpty(): boolean;
  clear(): void;
}

export function createListeners<A extends unknown[] = []>(): Listeners<A> {
  const listeners = new Set<(...about: A) => void>();
  return {
    add(listener) {
      const entry = (...about: A) => listener(...about);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    announce(...about) {
      for (const listener of [...listeners]) listener(...about);
    },
    isEmpty: () => listeners.size === 0,
    clear: () => listeners.clear(),
  };
}
