import type { Clock } from './clock.ts';

/** Lines that others can cause: so many a minute, and how many more there were. However many come, neither a disk nor a reader is filled. */
export interface SparingLines {
  /** `line` is made only if it is written. */
  say(line: () => string): void;
  /** Writes what is still to be said. */
  close(): void;
}

export interface SparingOptions {
  most: number;
  write(line: string): void;
  /** Says that there were further ones within a minute. */
  more(count: number): string;
}

export const sparingMs = 60_000;

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
      // A timer only where there is something to say.
      if (unsaid === 1) cancel = after(since + sparingMs - now, catchUp);
    },
    close: catchUp,
  };
}
