import type { Clock } from '@hostler/io/clock.ts';

export type { Clock } from '@hostler/io/clock.ts';

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** false: the work is not settled after `ms`. */
export function settledWithin(clock: Clock, work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    const done = () => {
      cancel();
      resolve(true);
    };
    work.then(done, done);
  });
}
