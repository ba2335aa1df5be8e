import type { Clock } from '../../../lib/clock.ts';
import { createListeners } from '../../../lib/listeners.ts';

export interface DemandParts {
  /** Whether the connection must stay though the data is not needed. */
  mustStay(): boolean;
  rest(): void;
}

/** The connection stays this long after a read. */
const lingerMs = 60_000;

/** Whether the data is needed: it has subscribers, or was read within the last minute. */
export function createDemand(clock: Clock, { mustStay, rest }: DemandParts) {
  const followers = createListeners();
  let askedUntil = Number.NEGATIVE_INFINITY;
  let cancelRest: (() => void) | null = null;

  const isFollowed = () => !followers.isEmpty();
  const isThere = () => isFollowed() || clock.monotonic() < askedUntil || mustStay();

  /** One timer for all reads; when it fires, later reads extend it. */
  const restLater = () => {
    if (isFollowed() || cancelRest !== null) return;
    cancelRest = clock.after(Math.max(1000, askedUntil - clock.monotonic()), () => {
      cancelRest = null;
      if (isThere()) restLater();
      else rest();
    });
  };

  return {
    ask() {
      askedUntil = clock.monotonic() + lingerMs;
      restLater();
    },
    follow(changed: () => void): () => void {
      const stop = followers.add(changed);
      return () => {
        stop();
        restLater();
      };
    },
    notify: followers.announce,
    isFollowed,
    isThere,
    close() {
      followers.clear();
      askedUntil = Number.NEGATIVE_INFINITY;
      cancelRest?.();
      cancelRest = null;
    },
  };
}
