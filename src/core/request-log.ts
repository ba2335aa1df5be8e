import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createSparingLines } from '../lib/rate-limited-log.ts';
import { shownAddress } from './caller.ts';

/** One line for each request, at DEBUG. Whoever turned that on wants to see it all; strangers still cannot fill the disk with it. */
export interface RequestLines {
  /** Takes how it ended. null: nobody reads these lines, and nothing is to be done for them. */
  begin(): ((end: RequestEnd) => void) | null;
}

export interface RequestEnd {
  /** Such as `GET /api/data/cpu`: never what is behind the question mark. */
  what: string;
  outcome: string | number;
  address: string;
  /** The name of its token; null: it had none that is valid. */
  who: string | null;
}

/** Without a token, a minute. */
const mostOfStrangers = 120;
const longest = 200;

export function createRequestLines(
  transport: string,
  log: Pick<Log, 'debug' | 'isDebug'>,
  clock: Pick<Clock, 'monotonic' | 'after'>,
): RequestLines {
  const ofStrangers = createSparingLines(
    {
      most: mostOfStrangers,
      write: log.debug,
      more: (count) => `${transport}: ${count} more requests without a valid token in this minute`,
    },
    clock,
  );
  return {
    begin() {
      if (!log.isDebug()) return null;
      const began = clock.monotonic();
      return ({ what, outcome, address, who }) => {
        const ms = Math.round((clock.monotonic() - began) * 10) / 10;
        const line = () =>
          `${transport}: ${what.slice(0, longest)} ${outcome} in ${ms} ms, from ${shownAddress(address)}, ${who === null ? 'without a valid token' : `with the token ${JSON.stringify(who)}`}`;
        if (who === null) ofStrangers.say(line);
        else log.debug(line());
      };
    },
  };
}
