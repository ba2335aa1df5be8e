import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createSparingLines } from '../lib/rate-limited-log.ts';
import { shownAddress } from './caller.ts';

/** One line for each request, at DEBUG. Requests without a valid token are limited, so that they cannot fill the disk. */
export interface RequestLines {
  /** Takes the outcome. null: DEBUG is off, and no work is needed. */
  begin(): ((end: RequestEnd) => void) | null;
}

export interface RequestEnd {
  /** Such as `GET /api/data/cpu`: never the query. */
  what: string;
  outcome: string | number;
  address: string;
  /** The name of its token; null: it had no valid one. */
  who: string | null;
}

/** Lines without a token, per minute. */
const mostUnauthenticated = 120;
const longest = 200;

export function createRequestLines(
  transport: string,
  log: Pick<Log, 'debug' | 'isDebug'>,
  clock: Pick<Clock, 'monotonic' | 'after'>,
): RequestLines {
  const unauthenticated = createSparingLines(clock, {
    most: mostUnauthenticated,
    write: log.debug,
    more: (count) => `${transport}: ${count} more requests without a valid token in this minute`,
  });
  return {
    begin() {
      if (!log.isDebug()) return null;
      const began = clock.monotonic();
      return ({ what, outcome, address, who }) => {
        const ms = Math.round((clock.monotonic() - began) * 10) / 10;
        const line = () =>
          `${transport}: ${what.slice(0, longest)} ${outcome} in ${ms} ms, from ${shownAddress(address)}, ${who === null ? 'without a valid token' : `with the token ${JSON.stringify(who)}`}`;
        if (who === null) unauthenticated.say(line);
        else log.debug(line());
      };
    },
  };
}
