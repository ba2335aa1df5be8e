import type { Clock } from './clock.ts';

const sliceMs = 1.5;

/** Runs long work in slices with other tasks in between: each `yield` is a possible break. Work that fits in one slice is done at once. */
export function inSlices<T>(clock: Clock, work: Generator<void, T>): T | Promise<T> {
  /** The result, or null: there is more to do. */
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

/** For work that awaits anyway: says when a break is due, and yields to other tasks. */
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

/** Runs such work to its end synchronously, where it is known to be short. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
