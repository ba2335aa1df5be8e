import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Lines that remote clients can cause: a limited number a minute, and a summary of the rest. They fill neither the disk nor the reader's view. */
export interface SparingLines<Line = string> {
  /** `line` is called only if it is written. */
  say(line: () => Line): void;
  /** Writes the pending summary. */
  close(): void;
}

export interface SparingOptions<Line = string> {
  most: number;
  write(line: Line): void;
  /** Formats the summary of further lines within a minute. */
  more(count: number): Line;
}

const sparingMs = 60_000;

export function createSparingLines<Line = string>(
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
  { most, write, more }: SparingOptions<Line>,
): SparingLines<Line> {
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

/** Unexpected errors, per minute: each has a stack. */
const mostErrors = 20;

/** The same log with a limited number of errors, for errors that a caller can cause. */
export function withSparingErrors(log: Log, name: string, clock: Pick<Clock, 'monotonic' | 'after'>): Log {
  const errors = createSparingLines<Parameters<Log['error']>>(clock, {
    most: mostErrors,
    write: (line) => log.error(...line),
    more: (count) => [`${name}: ${count} more unexpected errors in this minute`],
  });
  return { ...log, error: (...line) => errors.say(() => line) };
}
