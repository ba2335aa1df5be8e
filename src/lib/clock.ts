import type { Clock } from '@hostler/io/clock.ts';

export type { Clock } from '@hostler/io/clock.ts';

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Rejects with the reason of the signal once it is aborted. */
export async function interruptibleSleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener('abort', abort);
  const cancel = clock.after(ms, abort);
  if (!signal.aborted) await aborted.promise;
  cancel();
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
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

/** Calls back again and again, each time after what `next` waits for. Returns the function that stops it. */
export function repeatedly(next: (callback: () => void) => () => void, callback: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = next(() => {
      again();
      callback();
    });
  };
  again();
  return () => cancel();
}
