import { type Signal, signal } from '@preact/signals';
import { ownKey } from './base-path.ts';

/** Some words that the user chose, stored in this browser. */
export function storedChoice(
  name: string,
  usual: readonly string[],
): { chosen: Signal<string[]>; set(next: string[]): void } {
  const key = ownKey(`hostler-${name}`);
  const chosen = signal<string[]>(read(key) ?? [...usual]);
  return {
    chosen,
    set(next) {
      chosen.value = next;
      try {
        if (next.join() === usual.join()) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // A browser that stores nothing keeps it until the page is left.
      }
    },
  };
}

function read(key: string): string[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(stored) && stored.every((each) => typeof each === 'string') ? stored : null;
  } catch {
    return null;
  }
}
