import type { Clock } from '../../../lib/clock.ts';

/** Who wants the data: those who follow it, and for a while whoever asked once. */
export interface Demand {
  ask(): void;
  follow(changed: () => void): () => void;
  tell(): void;
  isFollowed(): boolean;
  isThere(): boolean;
  close(): void;
}

export interface DemandParts {
  /** Something else keeps it up, though nobody asks. */
  isHeld(): boolean;
  /** Nobody wants it any more. */
  rest(): void;
}

/** Whoever asks every half minute keeps the connection. */
export const lingerMs = 60_000;

export function createDemand(clock: Clock, { isHeld, rest }: DemandParts): Demand {
  const followers = new Set<() => void>();
  let askedUntil = Number.NEGATIVE_INFINITY;
  let cancelRest: (() => void) | null = null;

  const isThere = () => followers.size > 0 || clock.monotonic() < askedUntil || isHeld();

  /** One timer for all questions: those that came meanwhile only make it wait again. */
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
    follow(changed) {
      // One function may follow twice: each gets an entry of its own.
      const entry = () => changed();
      followers.add(entry);
      return () => {
        if (followers.delete(entry)) restLater();
      };
    },
    tell() {
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
