import type { Clock } from './clock.ts';

/** Long enough to get somewhere, short enough for whoever waits. */
const sliceMs = 1.5;

/** Does long work in slices, between which others have their turn: each `yield` is a place to stop. What fits in one slice is done at once. */
export function inSlices<T>(clock: Clock, work: Generator<void, T>): T | Promise<T> {
  /** Its result, or null: there is more to do. */
  const slice = (): { value: T } | null => {
    const end = clock.monotonic() + sliceMs;
    do {
      const step = work.next();
      if (step.done === true) return { value: step.value };
    } while (clock.monotonic() < end);
    return null;
  };

  const first = slice();
  if (first !== null) return first.value;
  return new Promise((resolve, reject) => {
    const goOn = () => {
      try {
        const result = slice();
        if (result === null) clock.after(0, goOn);
        else resolve(result.value);
      } catch (error) {
        reject(error);
      }
    };
    clock.after(0, goOn);
  });
}

/** For work that waits now and then anyway: says when others should have their turn, and gives it to them. */
export function createBreaks(clock: Clock, workMs: number): { isDue(): boolean; take(): Promise<void> } {
  let end = clock.monotonic() + workMs;
  return {
    isDue: () => clock.monotonic() >= end,
    async take() {
      await new Promise<void>((resolve) => void clock.after(0, resolve));
      end = clock.monotonic() + workMs;
    },
  };
}

/** Does such work to its end, where it is known to be short. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
