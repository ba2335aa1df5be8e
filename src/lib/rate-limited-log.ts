import type { Clock } from './clock.ts';

/** Lines that remote clients can cause: a limited number a minute, and a summary of the rest. They fill neither the disk nor the reader's view. */
export interface SparingLines {
  /** `line` is called only if it is written. */
  say(line: () => string): void;
  /** Writes the pending summary. */
  close(): void;
}

export interface SparingOptions {
  most: number;
  write(line: string): void;
  /** Formats the summary of further lines within a minute. */
  more(count: number): string;
}

const sparingMs = 60_000;

export function createSparingLines(
  { most, write, more }: SparingOptions,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): SparingLines {
  let since = Number.NEGATIVE_INFINITY;
  let said = 0;
  let unsaid = 0;
  let cancel = () => {};
  const catchUp = () => {
    cancel();
    if (unsaid > 0) write(more(unsaid));
    unsaid = 0;
  };
  return {
    say(line) {
      const now = monotonic();
      if (now - since >= sparingMs) {
        catchUp();
        since = now;
        said = 0;
      }
      if (said < most) {
        said += 1;
        return write(line());
      }
      unsaid += 1;
      // A timer only with a pending summary.
      if (unsaid === 1) cancel = after(since + sparingMs - now, catchUp);
    },
    close: catchUp,
  };
}
