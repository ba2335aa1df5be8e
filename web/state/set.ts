import type { Signal } from '@preact/signals';

/** For handlers that do nothing else. */
export function set<T>(signal: Signal<T>, value: T): void {
  signal.value = value;
}
