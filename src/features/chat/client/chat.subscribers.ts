import type { Clock } from '../../../lib/clock.ts';

/** Whether the data is needed: it has subscribers, or was read within the last minute. */
export type Demand = ReturnType<typeof createDemand>;

export interface DemandParts {
  /** Whether the connection must stay though the data is not needed. */
  mustStay(): boolean;
  rest(): void;
}

/** The connection stays this long after a read. */
const lingerMs = 60_000;

export function createDemand(clock: Clock, { mustStay, rest }: DemandParts) {
  const followers = new Set<() => void>();
  let askedUntil = Number.NEGATIVE_INFINITY;
  let cancelRest: (() => void) | null = null;

  const isThere = () => followers.size > 0 || clock.monotonic() < askedUntil || mustStay();

  /** One timer for all reads; when it fires, later reads extend it. */
  const restLater = () => {
    if (followers.size > 0 || cancelRest !== null) return;
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
      // The same function may subscribe twice.
      const entry = () => changed();
      followers.add(entry);
      return () => {
        if (followers.delete(entry)) restLater();
      };
    },
    notify() {
      for (const follower of followers) follower();
    },
    isFollowed: () => followers.size > 0,
    isThere,
    close() {
      followers.clear();
      askedUntil = Number.NEGATIVE_INFINITY;
      cancelRest?.();
      cancelRest = null;
    },
  };
}
