import type { Clock } from '../host/clock.ts';

/** Remembers for a while that something is not there, and what was said about it: looking for it costs more than it does to read what is there. */
export interface Absence<T> {
  /** null: nothing is known, so look. */
  known(): T | null;
  /** Begins to look; the result notes that it is not there, unless it was announced meanwhile. */
  look(): (what: T) => void;
  /** It may be there now. */
  forget(): void;
}

const rememberedMs = 5000;

export function createAbsence<T>({ monotonic }: Pick<Clock, 'monotonic'>): Absence<T> {
  let last: { what: T; at: number } | null = null;
  let news = 0;
  return {
    known: () => (last !== null && monotonic() - last.at < rememberedMs ? last.what : null),
    look() {
      const before = news;
      return (what) => {
        if (news === before) last = { what, at: monotonic() };
      };
    },
    forget() {
      news += 1;
      last = null;
    },
  };
}
