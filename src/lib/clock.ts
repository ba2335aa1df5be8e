import type { Clock } from '@hostler/io/clock.ts';

export type { Clock } from '@hostler/io/clock.ts';

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
