import type { Clock } from './clock.ts';

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
/** Where its coming is announced, looking only finds what was not heard. */
const announcedMs = 30_000;

export function createAbsence<T>(
  { monotonic }: Pick<Clock, 'monotonic'>,
  isAnnounced: () => boolean = () => false,
): Absence<T> {
  let last: { what: T; at: number } | null = null;
  let news = 0;
  return {
    known() {
      if (last === null) return null;
      return monotonic() - last.at < (isAnnounced() ? announcedMs : rememberedMs) ? last.what : null;
    },
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

/** The same for what is looked for at once: null is remembered, anything else is looked at each time. */
export function unlessAbsent<T>(clock: Pick<Clock, 'monotonic'>, look: () => T | null): () => T | null {
  const absence = createAbsence<true>(clock);
  return () => {
    if (absence.known() !== null) return null;
    const note = absence.look();
    const found = look();
    if (found === null) note(true);
    return found;
  };
}
